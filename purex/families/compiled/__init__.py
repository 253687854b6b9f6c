"""The built-in families as compiled scalar functions, for kernels that loop over arms.

The same mathematics as the numpy methods. A family is an integer code (0 Gaussian, 1 Bernoulli,
2 Poisson, 3 Gamma, 4 negative binomial) and a parameter (the size of the last). All but `tied_mean`
is of the base, scale 1: multiply `divergence` by the arm's scale, divide `variance` and the level
of a bound by it. Importing this imports numba.
"""

from purex.families.compiled.bounds import lower_bound, upper_bound
from purex.families.compiled.divergence import divergence, variance
from purex.families.compiled.tied import tied_mean

__all__ = ["divergence", "lower_bound", "tied_mean", "upper_bound", "variance"]
