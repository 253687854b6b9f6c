"""What each check of a table lets through, at the ends of what is allowed."""

import math

import pytest

from purex.schema import WrongValueError, choice, interval, number, risk, several, text, whole

BARELY = [
    (whole(0), 0), (whole(1), 1), (whole(1), 2**63 - 1), (number, -1e308), (number, 3), (risk, 1e-300),
    (risk, math.nextafter(1.0, 0.0)), (interval, [0.5, 0.5]), (interval, [-1, 2]), (text, "x"),
    (several(whole(0)), [0]), (several(whole(0)), [1, 0]), (several(whole(0), distinct=False), [1, 1]),
    (choice("once", "interior"), "interior"),
]  # fmt: skip
HARDLY = [
    (whole(0), -1), (whole(1), 0), (whole(1), 2**63), (whole(0), True), (whole(0), 1.0), (number, math.inf),
    (number, math.nan), (number, 10**400), (number, False), (number, "1"), (risk, 0), (risk, 1), (risk, 1.0),
    (interval, [0.5, math.nextafter(0.5, 0.0)]), (interval, [1]), (interval, [1, 2, 3]), (interval, "12"),
    (text, ""), (text, " "), (text, 3), (several(whole(0)), []), (several(whole(0)), [1, 2, 1]),
    (several(whole(0)), 3), (choice("once"), "twice"),
]  # fmt: skip


@pytest.mark.parametrize(("check", "value"), BARELY, ids=[repr(value) for _, value in BARELY])
def test_what_is_barely_allowed_comes_back(check, value):
    found = check(value)
    assert (list(found) if isinstance(value, list) else found) == value


@pytest.mark.parametrize(("check", "value"), HARDLY, ids=[repr(value)[:20] for _, value in HARDLY])
def test_what_is_just_beyond_is_refused(check, value):
    with pytest.raises(WrongValueError):
        check(value)
