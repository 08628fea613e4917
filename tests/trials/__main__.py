"""``python -m tests.trials`` runs every trial, ``python -m tests.trials NAME [COUNT]`` one of them, so many times.

A trial is a module of this folder with a function ``main``, which prints counts and returns how many went wrong.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path


def run(name: str, *count: str) -> int:
    """Run one trial; how many went wrong."""
    print(f"{name}:", flush=True)
    return import_module(f"tests.trials.{name}").main(*map(int, count)) or 0


if __name__ == "__main__":
    all_names = sorted(path.stem for path in Path(__file__).parent.glob("[a-z]*.py"))
    chosen = [sys.argv[1:]] if sys.argv[1:] else [[name] for name in all_names]
    sys.exit(min(1, sum(run(*words) for words in chosen)))
