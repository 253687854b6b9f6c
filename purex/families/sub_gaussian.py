"""Sub-Gaussian rewards with a known variance proxy."""

from __future__ import annotations

from dataclasses import dataclass

from purex.families.gaussian import Gaussian


@dataclass(frozen=True, init=False, repr=False)
class SubGaussian(Gaussian):
    r"""Any law with $E\,e^{s(X-\mu)} \le e^{s^2\sigma^2/2}$ for all s, judged as the Gaussian one.

    The Gaussian is the hardest of these laws: what is guaranteed for it holds for all of them. Simulated
    rewards are Gaussian.

    >>> family = SubGaussian(variance=2)
    >>> family.name, family.kind, family.is_exact
    ('sub-gaussian(variance=2.0)', 'gaussian', False)
    """

    is_exact = False

    def __repr__(self) -> str:
        return f"SubGaussian(variance={self.sigma2!r})"

    @property
    def name(self) -> str:
        """``sub-gaussian``, with its variance proxy unless that is 1."""
        return "sub-gaussian" if self.sigma2 == 1 else f"sub-gaussian(variance={self.sigma2!r})"
