"""Sample complexities of the paper's rules, from an independent program in C (3000 runs each)."""

from __future__ import annotations

# rule: (mean, standard error); delta = 0.1, beta(n) = ln((1 + ln n)/delta), f(n) = ln n
BERNOULLI = {
    "T-C": (1787.1, 18.5),
    "T-D": (1389.2, 16.9),
    "M-C": (1694.7, 15.3),
    "M-D": (1491.6, 12.8),
    "O-C": (1814.1, 16.1),
    "O-D": (1566.2, 13.7),
    "D-C": (1885.3, 17.3),
    "D-D": (1729.9, 16.6),
    "D1-C": (1946.3, 17.7),
    "D1-D": (1720.6, 16.8),
    "RR": (2299.4, 22.9),
    "opt-C": (2163.4, 18.0),
    "opt-D": (2173.7, 17.6),
}
MINIMUM = {
    "T-C": (4608.0, 99.0),  # heavy tails: 1e5 runs
    "T-D": (4501.0, 97.0),
    "M-C": (1005.4, 17.9),
    "M-D": (905.7, 15.7),
    "O-C": (879.0, 5.0),
    "O-D": (882.0, 5.0),
    "D-C": (986.0, 16.7),
    "D-D": (940.5, 15.4),
    "D1-C": (974.3, 16.2),
    "D1-D": (922.5, 15.1),
    "RR": (1294.7, 21.1),
    "opt-C": (666.5, 10.6),
    "opt-D": (666.5, 10.6),
}
MINIMUM_MEDIANS = {"T-C": 706, "T-D": 709}
INSTANCES = {
    "bernoulli": ("bernoulli", "best-arm", [0.3, 0.21, 0.2, 0.19, 0.18], BERNOULLI),
    "minimum": ("gaussian", "minimum-threshold(threshold=0.6)", [0.5, 0.6], MINIMUM),
}
PUBLISHED = [  # Track-and-Stop with direct tracking, Garivier & Kaufmann (2016), table 1
    ([0.5, 0.45, 0.43, 0.4], 4052),
    ([0.3, 0.21, 0.2, 0.19, 0.18], 1406),
]


def close(mean: float, se: float, expected: float, expected_se: float) -> bool:
    """Within 4 combined standard errors plus 3 %."""
    return abs(mean - expected) <= 4 * (se**2 + expected_se**2) ** 0.5 + 0.03 * expected
