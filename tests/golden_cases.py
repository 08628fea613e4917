"""The cases of ``fixtures/``: which there are, and how their judgments are loaded."""

from pathlib import Path
from typing import Any

from evalsql import Warehouse
from tests.conftest import FIXTURES

CASES = tuple(sorted(path for path in FIXTURES.iterdir() if path.is_dir() and path.name != "conformance"))
# The file of judgments that a case has says what form they are of.
FORMS = {
    "qrels.txt": "grades",
    "groups.txt": "groups",
    "prefs.txt": "preferences",
    "strata.txt": "strata",
    "spans.csv": "spans",
}


def of_runs(case: Path) -> dict[str, Any]:
    """How the runs of a case are loaded: where spans are judged their results are spans."""
    return {"collapse": "max"} if (case / "spans.csv").exists() else {}


def load_judgments(warehouse: Warehouse, case: Path, name: str) -> None:
    """Load the judgments of a case, with its weights of topics where it has some."""
    (qrels,) = (case / file for file in FORMS if (case / file).exists())
    warehouse.load_qrels(qrels, name, form=FORMS[qrels.name])
    if (case / "weights.txt").exists():
        warehouse.load_weights(case / "weights.txt", name)
