"""Simulated users: reads the variants they are shown, one a line, and writes lines ARM,REWARD.

The argument is the number of the batch, which is the seed: the same batch always behaves the same.
"""

import random
import sys

RATES = (0.020, 0.021, 0.022, 0.026)


def behave(arms, batch):
    """Who converts (1) and who does not (0), of users who are shown these variants."""
    draw = random.Random(batch)
    return [int(draw.random() < RATES[arm]) for arm in arms]


if __name__ == "__main__":
    shown = [int(line) for line in sys.stdin]
    for arm, reward in zip(shown, behave(shown, int(sys.argv[1])), strict=True):
        print(f"{arm},{reward}")
