"""Best arm under Lipschitz means on a line inside a compiled round."""

from __future__ import annotations

from purex_plugins.kernels.lipschitz import lipschitz_best_arm_row, lipschitz_project, lipschitz_size
from purex_plugins.kernels.rounds import best_arm

scratch_size = lipschitz_size
project = lipschitz_project
answer = best_arm.answer
best_response_in = lipschitz_best_arm_row
