"""Files of every format load where the engine may read the named files and temporary ones only."""

from __future__ import annotations

import gzip
from pathlib import Path

import pandas
import pytest

import evalsql
from evalsql import UsageError
from tests.conftest import SAMPLE, Command, write
from tests.ingest.sample_rows import RUN, TREC_RUN
from tests.ingest.variants import RUNS, parquet

SURROGATE = "d\ud800"


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[object, ...]]:
    path = write(tmp_path_factory.mktemp("trec") / "given.run", TREC_RUN)
    with evalsql.open(":memory:") as warehouse:
        warehouse.load_qrels(SAMPLE / "qrels.txt", "q")
        warehouse.load_runs(path)
        return warehouse.rows("select topic, rank, document, score from rankings order by topic, rank")


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("kind", ["Parquet", "CSV", "JSON lines", "Feather", "JSON dict of dicts"])
def test_the_command_loads_files_of_every_format(
    command: Command, tmp_path: Path, kind: str, packed: bool, expected: list[tuple[object, ...]]
) -> None:
    content = next(content for name, (_, content) in RUNS.items() if name.startswith(kind))
    path = write(tmp_path / "given", gzip.compress(content) if packed else content)
    assert command("load", "qrels", SAMPLE / "qrels.txt", "--name", "q", "--db", "w.duckdb").returncode == 0
    outcome = command("load", "runs", path, "--db", "w.duckdb")
    assert outcome.returncode == 0, outcome.stderr
    with evalsql.open(tmp_path / "w.duckdb", read_only=True) as warehouse:
        found = warehouse.rows("select topic, rank, document, score from rankings order by topic, rank")
    assert found == expected


def test_a_name_with_wildcards_is_the_name_of_a_file(command: Command, tmp_path: Path) -> None:
    for name in ("p[q].parquet", "we[i]rd'.csv"):
        content = RUNS["CSV"][1] if name.endswith("csv") else parquet(("qid", "docno", "score"), RUN)
        write(tmp_path / name, content)
        outcome = command("load", "runs", name, "--db", "w.duckdb")
        assert outcome.returncode == 0, outcome.stderr
        assert f"{len(RUN):,} documents retrieved" in outcome.stderr


def test_text_without_utf8_is_refused_and_the_warehouse_goes_on(tmp_path: Path) -> None:
    nested = write(tmp_path / "nested.json", '{"T01": {"d\\ud800": 2.5}}')
    rows = write(tmp_path / "rows.jsonl", '{"qid": "T01", "docno": "d\\ud800", "score": 1}\n' * 2)
    frame = pandas.DataFrame({"thema": ["T01"], "hit": [SURROGATE], "score": [1.0]}, dtype=object)
    columns = {"topic": "thema", "document": "hit"}
    with evalsql.open(":memory:") as warehouse:
        for path in (nested, rows):
            with pytest.raises(evalsql.InputError, match=rf"{path.name}.* document .*no UTF-8"):
                warehouse.load_runs(path)
        with pytest.raises(UsageError, match="column hit holds text that has no UTF-8"):
            warehouse.load_run(frame, "frame", columns=columns)
        with pytest.raises(UsageError, match="no UTF-8"):
            warehouse.load_run([("T01", SURROGATE, 1.0)] * 20_000, "tuples")
        warehouse.load_run(frame.assign(hit="d1"), "good", columns=columns)
        assert warehouse.rows("select document from rankings") == [("d1",)]
