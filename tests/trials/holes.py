"""Bounds of all measures that have some, beside the extremes over all grades that brute force finds on many topics."""

import tempfile
from pathlib import Path

from tests.judging.test_holes import KINDS, NAMES, compare


def main(topics: int = 2001) -> int:
    """How many kinds of holes have a bound that is not the extreme, each tried on so many random topics."""
    wrong = 0
    for unseen, most in KINDS:
        try:
            with tempfile.TemporaryDirectory() as folder:
                compare(topics, 100 + unseen, Path(folder), unseen, most, NAMES)
        except AssertionError as error:
            wrong += 1
            print(error)
        print(f"{topics} topics, {unseen} unseen, most {most}: {len(NAMES)} measures")
    return wrong
