"""Files that one statement reads together: each has the rows it would have alone, and only bad ones are blamed."""

import json
from pathlib import Path
from typing import Any

import pytest

from evalsql import InputError, Warehouse
from tests.conftest import write
from tests.ingest.variants import RUNS, parquet

RANX = ("q_id", "doc_id", "score")
ROWS = [(f"T{at % 3}", f"d{at}", at / 7) for at in range(60)]
KINDS = ["Parquet", "CSV", "JSON lines", "JSON dict of dicts", "JSON lines of hits", "MS MARCO", "Feather", "TREC"]


def stored(warehouse: Warehouse, run: str) -> list[tuple[Any, ...]]:
    rows = "select topic, document, rank, score from rankings where run = ? order by topic, rank"
    return warehouse.rows(rows, [run])


@pytest.mark.long
def test_files_of_all_formats_load_at_once(empty: Warehouse, tmp_path: Path) -> None:
    kinds = [kind for kind in KINDS for _ in range(2)]
    runs = empty.load_runs([write(tmp_path / f"{at}", RUNS[kind]) for at, kind in enumerate(kinds)])
    for kind, *alike in zip(KINDS, runs[::2], runs[1::2], strict=True):
        empty.load_runs(write(tmp_path / "file", RUNS[kind]), name="alone", replace=True)
        assert all(stored(empty, run) == stored(empty, "alone") != [] for run in alike), kind


def test_parquet_files_of_other_columns_and_types_load_at_once(empty: Warehouse, tmp_path: Path) -> None:
    whole = [(topic, int(document[1:]), at % 5) for at, (topic, document, _) in enumerate(ROWS)]
    turned = [(score, document, topic) for topic, document, score in whole]
    called_as_the_engine_calls_its_own = parquet((*RANX, "file_index"), [(*row, 7) for row in ROWS])
    contents = [parquet(RANX, whole), parquet(RANX, ROWS), parquet(RANX[::-1], turned), parquet(RANX, whole)]
    contents += [called_as_the_engine_calls_its_own] * 2
    files = [write(tmp_path / f"{at}.parquet", content) for at, content in enumerate(contents)]
    runs = empty.load_runs(files)
    for file, run in zip(files, runs, strict=True):
        empty.load_runs(file, name="alone", replace=True)
        assert stored(empty, run) == stored(empty, "alone") != []
    assert stored(empty, runs[0]) == stored(empty, runs[2]) != stored(empty, runs[1]) == stored(empty, runs[4])


def test_only_the_bad_file_among_good_ones_is_blamed(empty: Warehouse, tmp_path: Path) -> None:
    good = [write(tmp_path / f"good-{at}.parquet", parquet(RANX, ROWS)) for at in range(3)]
    bad = write(tmp_path / "bad.parquet", parquet(RANX, [("T01", "d1", 1.0), ("T01", None, 2.0)]))
    cut = write(tmp_path / "cut.parquet", parquet(RANX, ROWS)[:400])
    twice = write(tmp_path / "twice.json", '{"T01": {"d1": 1, "d1": 2}}')
    fine = write(tmp_path / "fine.json", '{"T01": {"d1": 1, "d2": 2}}')
    with pytest.raises(InputError) as raised:
        empty.load_runs([*good, bad, cut, fine, twice])
    told = str(raised.value)
    assert "bad.parquet: Parquet, row 2: document is missing" in told
    assert "cut.parquet: cannot be read as Parquet" in told
    assert "twice.json: JSON: d1 stands more than once in one object" in told
    assert "good-" not in told
    assert "fine.json" not in told
    assert empty.database.rows("select count(*) from runs") == [(0,)]


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_a_line_of_the_second_file_is_found(empty: Warehouse, tmp_path: Path, ending: str) -> None:
    rows = [(f"T{at // 500}", f"d{at}", at % 7) for at in range(5000)]
    if ending == "csv":
        lines = ["qid,docno,score", *(f"{topic},{document},{score}" for topic, document, score in rows)]
    else:
        lines = [json.dumps({"qid": topic, "docno": document, "score": score}) for topic, document, score in rows]
    first = write(tmp_path / f"first.{ending}", "\n".join(lines) + "\n")
    second = write(tmp_path / f"second.{ending}", "\n".join([*lines, lines[-1]]) + "\n")
    with pytest.raises(InputError, match=rf"second.{ending}:{len(lines) + 1}: .*already stands at line {len(lines)}"):
        empty.load_runs([first, second])


def test_rows_keep_the_order_of_their_files(empty: Warehouse, tmp_path: Path) -> None:
    rows = [("T1", f"d{at * 7919 % 5000}", 1.0) for at in range(5000)]
    files = [write(tmp_path / f"{name}.parquet", parquet(RANX, rows)) for name in "ab"]
    text = write(tmp_path / "c.run", "".join(f"{topic} Q0 {document} 1 {score} t\n" for topic, document, score in rows))
    empty.load_runs(files, tie_rule="input")
    empty.load_runs([*files, text], replace=True, tie_rule="input")
    expected = [document for _, document, _ in rows]
    for run in ("a", "b", "c"):
        assert [document for _, document, _, _ in stored(empty, run)] == expected
