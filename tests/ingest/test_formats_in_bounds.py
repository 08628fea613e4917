"""Files of every format load where the engine may read the named files and temporary ones only."""

from __future__ import annotations

import gzip
import struct
from functools import partial
from itertools import product
from pathlib import Path

import pandas
import pyarrow
import pytest
from pyarrow import feather, ipc
from pyarrow import parquet as parquet_files

import evalsql
from evalsql import EvalsqlError, UsageError, Warehouse
from tests.conftest import SAMPLE, Command, new_warehouse, write
from tests.ingest.sample_rows import RUN, TREC_RUN
from tests.ingest.variants import RUNS, archive, parquet
from tests.long_cases import few_of

SURROGATE = "d\ud800"


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[object, ...]]:
    path = write(tmp_path_factory.mktemp("trec") / "given.run", TREC_RUN)
    with new_warehouse() as warehouse:
        warehouse.load_qrels(SAMPLE / "qrels.txt", "q")
        warehouse.load_runs(path)
        return warehouse.rows("select topic, rank, document, score from rankings order by topic, rank")


@pytest.mark.parametrize(
    ("kind", "packed"),
    few_of(
        [
            *(("Parquet", False), ("CSV", True)),
            *product(("Parquet", "CSV", "JSON lines", "Feather", "JSON dict of dicts"), (False, True)),
        ]
    ),
)
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


def without_utf8() -> pyarrow.Table:
    """A table of Arrow whose text is none, as a writer may leave it: nothing checks text that is put together so."""
    offsets = struct.pack("<3i", 0, 2, 5)
    names = pyarrow.StringArray.from_buffers(2, pyarrow.py_buffer(offsets), pyarrow.py_buffer(b"T1T\xff1"))
    return pyarrow.table({"qid": names, "docno": names, "score": [1.0, 2.0]})


@pytest.mark.parametrize("name", ["r.feather", "r.arrows", "r.parquet", "frame"])
def test_arrow_without_utf8_is_refused_and_the_warehouse_goes_on(tmp_path: Path, name: str) -> None:
    table, path = without_utf8(), tmp_path / name
    if name == "r.feather":
        feather.write_feather(table, path)
    elif name == "r.parquet":
        parquet_files.write_table(table, path)
    elif name == "r.arrows":
        with ipc.new_stream(path, table.schema) as stream:
            stream.write_table(table)
    with new_warehouse() as warehouse:
        load = partial(warehouse.load_run, table, "r") if name == "frame" else partial(warehouse.load_runs, path)
        with pytest.raises(EvalsqlError, match=r"UTF-?8"):
            load()
        warehouse.load_run({"T1": {"d1": 1.0}}, "good")
        assert warehouse.rows("select run from runs") == [("good",)]


@pytest.mark.parametrize("packing", ["gz", "xz", "bz2"])
def test_a_damaged_archive_is_refused(empty: Warehouse, tmp_path: Path, packing: str) -> None:
    content = bytearray(archive(packing, "".join(f"T1 Q0 d{at * 7919} {at} {at / 7} t\n" for at in range(2000))))
    for at in range(len(content) // 2, len(content) // 2 + 40):
        content[at] ^= 0xFF
    with pytest.raises(evalsql.InputError, match=r"r\.tar"):
        empty.load_runs(write(tmp_path / f"r.tar.{packing}", bytes(content)))
    assert empty.database.rows("select count(*) from runs") == [(0,)]


def test_text_without_utf8_is_refused_and_the_warehouse_goes_on(tmp_path: Path) -> None:
    nested = write(tmp_path / "nested.json", '{"T01": {"d\\ud800": 2.5}}')
    rows = write(tmp_path / "rows.jsonl", '{"qid": "T01", "docno": "d\\ud800", "score": 1}\n' * 2)
    frame = pandas.DataFrame({"thema": ["T01"], "hit": [SURROGATE], "score": [1.0]}, dtype=object)
    columns = {"topic": "thema", "document": "hit"}
    with new_warehouse() as warehouse:
        for path in (nested, rows):
            with pytest.raises(evalsql.InputError, match=rf"{path.name}.* document .*no UTF-8"):
                warehouse.load_runs(path)
        with pytest.raises(UsageError, match="column hit holds text that has no UTF-8"):
            warehouse.load_run(frame, "frame", columns=columns)
        with pytest.raises(UsageError, match="no UTF-8"):
            warehouse.load_run([("T01", SURROGATE, 1.0)] * 20_000, "tuples")
        warehouse.load_run(frame.assign(hit="d1"), "good", columns=columns)
        assert warehouse.rows("select document from rankings") == [("d1",)]
