"""Known variances: nobody's measurements have a variance of 1 because nothing was said about it."""

from __future__ import annotations

from purex.errors import InvalidInputError
from purex.plugins import named, parse_list, registry

NEED_VARIANCE = ("gaussian", "sub-gaussian")
UNKNOWN_VARIANCE = "student"  # the family for arms whose variance nobody knows, where it is registered


def check_variance(family: str) -> None:
    """Refuse, for a real experiment, families whose known variance was not given.

    >>> check_variance("bernoulli; gaussian(variance=0.25); gaussian(0.5)")
    >>> check_variance("gaussian")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    purex.errors.InvalidInputError: gaussian rewards have a known variance, which must be given, ...
    """
    for call in parse_list(family):
        name = call.name.rpartition(":")[2]
        if name in NEED_VARIANCE and "variance" not in named("family", call).arguments:
            known = {item.record.name for item in registry().items("family")}
            unknown = f"; if it is not known, use '{UNKNOWN_VARIANCE}'" if UNKNOWN_VARIANCE in known else ""
            raise InvalidInputError(
                f"{name} rewards have a known variance, which must be given, such as "
                f"'{name}(variance=0.25)': rather too large than too small{unknown}"
            )
