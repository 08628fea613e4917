"""Bounded fuzzing: ``python -m tests.fuzz SECONDS [TARGET...] [--seed N]`` prints how many inputs each target took.

Inputs are made from the seeds in ``tests/fuzz/corpus`` by small changes. One that shows a fault is written into
``corpus`` of its target, where a test tries it from then on, and the exit code is 1.
"""

import argparse
import hashlib
import random
import sys
import time
import traceback
from collections.abc import Sequence

from tests.fuzz.targets import CORPUS, TARGETS, seeds, tried

# What is put between the bytes of a seed.
PIECES = (
    *(b"\0", b"\n", b"\r", b" ", b"\t", b"'", b'"', b";", b"--", b"/*", b"$k", b"(", b")", b"{", b"@", b"\xff"),
    *(b"nan", b"-1", b"1e400", b"99999999999999999999", b"null", b"\xef\xbb\xbf", b"\xe2\x80\xa8", b":=", b",", b"="),
)


def changed(chance: random.Random, corpus: Sequence[bytes]) -> bytes:
    """A seed with some small changes."""
    data = bytearray(chance.choice(corpus))
    for _ in range(chance.randint(1, 6)):
        at = chance.randint(0, len(data))
        end = min(len(data), at + chance.randint(0, 8))
        match chance.randrange(5):
            case 0:
                data[at:end] = b""
            case 1:
                data[at:at] = chance.choice(PIECES)
            case 2:
                data[at:at] = data[at:end] * chance.randint(1, 3)
            case 3:
                other = chance.choice(corpus)
                data[at:end] = other[chance.randint(0, len(other)) :][:20]
            case _:
                data[at:end] = bytes(chance.randrange(256) for _ in range(end - at))
    return bytes(data)


def main(arguments: Sequence[str] | None = None) -> int:
    """Try inputs for the given time; the number of faults, at most 1."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("seconds", type=float)
    parser.add_argument("targets", nargs="*", choices=[*TARGETS, []], default=[], metavar="TARGET")
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1_000_000)
    given = parser.parse_args(arguments)
    chosen = given.targets or [*TARGETS]
    chance = random.Random(given.seed)
    print(f"seed {given.seed}")
    faults = 0
    for target in chosen:
        count, corpus = 0, seeds(target)
        until = time.monotonic() + given.seconds / len(chosen)
        while not count or time.monotonic() < until:
            data = changed(chance, corpus)
            count += 1
            try:
                tried(target, data)
            except Exception:
                faults += 1
                path = CORPUS / target / f"fault-{hashlib.sha256(data).hexdigest()[:8]}"
                path.write_bytes(data)
                print(f"{target}: {path} shows a fault:\n{traceback.format_exc()}")
                break
        print(f"{target}: {count} inputs", flush=True)
    return min(1, faults)


if __name__ == "__main__":
    sys.exit(main())
