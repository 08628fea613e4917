"""Runs an adapter over all cases, within the environment of its package: ``python drive.py MODULE:FUNCTION``.

It needs a standard library and the package, no more, and prints the values as JSON: [case, measure, value].
"""

import importlib
import json
import sys
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def main(adapter: str) -> None:
    sys.path[:0] = [str(ROOT), str(ROOT / "evalsql" / "conformance")]
    check = importlib.import_module("check")  # by its folder: the package around it needs DuckDB

    warnings.simplefilter("ignore")
    printed, sys.stdout = sys.stdout, sys.stderr  # packages print too
    suite = check.read_suite(ROOT / "fixtures" / "conformance")
    values = check.values_of(check.imported(f"tests.conformance.adapters.{adapter}"), suite)
    json.dump([[*key, value] for key, value in values.items() if value is not None], printed)


if __name__ == "__main__":
    main(sys.argv[1])
