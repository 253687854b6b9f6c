"""Studies: a specification, its runs by any executor, their store, and the paper's experiments.

The rooms, in the order in which they may know each other: `specification`, `enumeration`, `execution`,
`store`, `study`, `paper`.
"""

from purex.extras import need

need("study", "a study")

from purex.experiments.execution import Executor
from purex.experiments.specification import Specification, read_specification
from purex.experiments.study import Study, run_study

__all__ = ["Executor", "Specification", "Study", "read_specification", "run_study"]
