"""Simulated users: reads the variants they are shown, one a line, and writes lines ARM,REWARD.

The argument is the number of the batch, which is the seed: the same batch always behaves the same.
"""

import random
import sys

RATES = {"control": 0.020, "blue": 0.021, "green": 0.022, "large": 0.026}


def behave(arms, batch):
    """Who converts (1) and who does not (0), of users who are shown these variants."""
    draw = random.Random(batch)
    return [int(draw.random() < RATES[arm]) for arm in arms]


if __name__ == "__main__":
    shown = [line.strip() for line in sys.stdin]
    for arm, reward in zip(shown, behave(shown, int(sys.argv[1])), strict=True):
        print(f"{arm},{reward}")
