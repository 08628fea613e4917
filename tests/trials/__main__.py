"""Runs the ``main`` of one module of this package: ``python -m tests.trials NAME``."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

NAMES = sorted(path.stem for path in Path(__file__).parent.glob("*.py") if not path.stem.startswith("_"))

if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in NAMES:
        sys.exit(f"usage: python -m tests.trials {'|'.join(NAMES)}")
    import_module(f"tests.trials.{sys.argv[1]}").main()
