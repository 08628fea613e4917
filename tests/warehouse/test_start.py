"""What a command costs before and after its work: imports, the views of a first warehouse, the note on ties."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import evalsql
from evalsql import Warehouse
from evalsql.catalog.measure_names import parse_measures
from evalsql.evaluation import notices
from evalsql.evaluation.evaluation import Evaluation
from tests.conftest import SAMPLE, new_warehouse
from tests.long_cases import few_of

HEAVY = (
    "duckdb",
    "sqlglot",
    "rich",
    "vl_convert",
    "prompt_toolkit",
    "pygments",
    "evalsql.trec_eval",
    "evalsql.ingest.run_loading",
)
EVALUATION = ("eval", str(SAMPLE / "qrels.txt"), str(SAMPLE / "runs" / "bm25.run"))
IMPORTED = f"""
import sys
from evalsql.cli import main
try:
    main()
finally:
    print("imported", *(name for name in {HEAVY} if name in sys.modules), file=sys.stderr)
"""


def imported(*arguments: object) -> set[str]:
    outcome = subprocess.run(
        [sys.executable, "-c", IMPORTED, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=600,
        check=True,
        stdin=subprocess.DEVNULL,
    )
    return set(outcome.stderr.splitlines()[-1].split()[1:])


@pytest.mark.parametrize(
    ("words", "needed"),
    few_of(
        [
            ((*EVALUATION, "-m", "AP", "--tie-rule", "trec_eval"), {"evalsql.ingest.run_loading"}),
            (("leaderboard", "-m", "AP", "--db", "{db}"), set()),
            (("ls", "--db", "{db}"), set()),
            (("measures", "--format", "csv"), set()),
            (("shell", "--db", "{db}"), set()),  # on a terminal it takes prompt_toolkit
        ]
    ),
)
def test_a_command_imports_no_more_than_it_needs(sample_file: Path, words: Sequence[str], needed: set[str]) -> None:
    assert imported(*(each.format(db=sample_file) for each in words)) == needed


FRAME = """\
    import pandas
    warehouse.load_qrels({"t": {"d": 1}}, "judged")
    warehouse.load_run(pandas.DataFrame({"topic": ["t"], "document": ["d"], "score": [7.0]}), "run")
    print(warehouse.rows("select score::integer from rankings"))
"""


@pytest.mark.parametrize(
    "body",
    few_of(
        [
            FRAME,
            "    print(warehouse.connection.sql('select 7').project('*').fetchall())",
            "    print(warehouse.sql('select 7').project('*').fetchall())",
        ],
        1,
    ),
)
def test_a_connection_has_all_that_its_package_gives_it_where_nothing_else_imports_that(body: str) -> None:
    program = f"import evalsql\nwith evalsql.open(':memory:') as warehouse:\n{body}"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=600, check=True)
    assert found.stdout == "[(7,)]\n"


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo terminals")
def test_on_a_terminal_the_first_warehouse_shows_progress(tmp_path: Path) -> None:
    ours, theirs = os.openpty()
    running = subprocess.Popen(
        [sys.executable, "-m", "evalsql", "sql", "select 1 as one", "--write", "--db", tmp_path / "w.duckdb"],
        stdout=subprocess.PIPE,
        stderr=theirs,
        text=True,
        env={**os.environ, "XDG_CACHE_HOME": str(tmp_path), "TERM": "xterm"},
    )
    os.close(theirs)
    shown = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:
            part = b""
        if not part:
            break
        shown += part
    os.close(ours)
    assert "one" in running.communicate(timeout=600)[0]
    assert running.returncode == 0
    assert b"making views" in shown


@pytest.mark.usefixtures("few_measures")
def test_a_library_is_silent_and_reports_progress_to_who_asks(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", os.devnull)  # no folder, so that there is no template to copy views from
    reported: list[tuple[str, int, int]] = []
    old = tmp_path / "old.duckdb"
    with evalsql.open(old) as warehouse:
        warehouse.execute("update warehouse set sql_digest = 'older'")
    with evalsql.open(old, progress=lambda *report: reported.append(report)):
        pass
    stage, done, total = reported[-1]
    assert (stage, done) == ("making views", total)
    assert [done for _, done, _ in reported] == list(range(total + 1))
    assert capfd.readouterr() == ("", "")


def loaded(runs: dict[str, dict[str, float]]) -> Warehouse:
    warehouse = new_warehouse()
    warehouse.load_qrels({"t": {"d1": 1, "d2": 0, "d3": 1}}, "judged")
    for name, documents in runs.items():
        warehouse.load_run({"t": documents}, name)
    return warehouse


TIED = {"d1": 1.0, "d2": 1.0}
PLAIN = {"d2": 2.0, "d1": 1.0}
OTHER = {"d1": 2.0, "d3": 1.0}


@pytest.mark.parametrize(
    ("runs", "asked", "said"),
    [
        ({"a": TIED}, False, False),
        ({"a": PLAIN, "b": OTHER}, False, False),
        ({"a": TIED, "b": OTHER}, True, False),
        ({"a": TIED, "b": {"x": 4.0, "y": 3.0, "d1": 2.0, "d3": 1.0}}, True, True),
    ],
)
def test_orders_of_ties_are_tried_where_they_could_change_an_order(
    runs: dict[str, dict[str, float]],
    asked: bool,
    said: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls: list[object] = []
    whole = Evaluation.tie_queries

    def recorded(*args: Any, **kwargs: Any) -> Any:
        calls.append(args)
        return whole(*args, **kwargs)

    monkeypatch.setattr(Evaluation, "tie_queries", recorded)
    with loaded(runs) as warehouse:
        (measure,) = parse_measures(["AP"], warehouse.catalog)
        told = notices.on_ties(warehouse.evaluation, measure, (), ())
        assert bool(calls) == asked
        assert bool(warehouse.ties("AP")[1].fetchall()) == said
    assert ("would change places" in (told or "")) == said
