"""The cases of ``fixtures/``: which there are, and how their judgments are loaded."""

from pathlib import Path
from typing import Any

from evalsql import Warehouse
from tests.conftest import FIXTURES

CASES = tuple(sorted(path for path in FIXTURES.iterdir() if path.is_dir() and path.name != "conformance"))
# The file of judgments that a case has says what form they are of.
FORMS = {"qrels.txt": "grades", "groups.txt": "groups", "prefs.txt": "preferences", "strata.txt": "strata"}
FORMS |= {"nuggets.jsonl": "nuggets", "spans.csv": "spans"}


def load_judgments(warehouse: Warehouse, case: Path, name: str) -> None:
    """Load the judgments of a case, with its weights of topics where it has some."""
    (qrels,) = (case / file for file in FORMS if (case / file).exists())
    warehouse.load_qrels(qrels, name, form=FORMS[qrels.name])
    if (case / "weights.txt").exists():
        warehouse.load_weights(case / "weights.txt", name)


def load_run(warehouse: Warehouse, case: Path, path: Path, name: str, **how: Any) -> None:
    """Load a run of a case that is loaded under its name: rankings, of spans or not, or assignments of answers."""
    if (case / "nuggets.jsonl").exists():
        told = {"name": name, "qrels": case.name, "replace": bool(how.get("replace"))}
        warehouse.load_assignments(path, **told)
        warehouse.load_citations(case / "citations" / f"{path.stem}.csv", **told)
    else:
        how |= {"collapse": "max"} if (case / "spans.csv").exists() else {}
        warehouse.load_runs(path, name=name, qrels=case.name, **how)
