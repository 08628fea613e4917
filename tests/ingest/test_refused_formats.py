"""Files that are no runs or judgments are refused by their format, and bad rows of others by their line."""

import json
import re
from functools import partial
from pathlib import Path
from typing import Any

import pandas
import pytest

import evalsql
from evalsql import EvalsqlError, InputError, UsageError, Warehouse
from tests.conftest import SAMPLE, Command, assert_refused, module_warehouse, write
from tests.ingest.refused_runs import REFUSED, REFUSED_FRAMES
from tests.ingest.sample_rows import QRELS, RUN, TREC_QRELS, TREC_RUN
from tests.ingest.variants import MEASURES, RANKED, archive, delimited, lines, nested, parquet, ranked, records
from tests.long_cases import content, few_of, rows_of

HERE = Path(__file__).parent
# Judgments that are read for the next load replace those of the last one.
HELD = """
    select
        list(qrels), (select count(*) from runs), (select count(*) from retrieved), (select count(*) from topic_meta),
        (select count(*) from preferences), (select count(*) from judged_spans), (select count(*) from nuggets),
        (select count(*) from topic_weights), (select list(kind) from files),
        (select list(table_name) from duckdb_tables() where temporary and table_name <> 'staged_qrels_rows')
    from qrels
"""
GIVEN = {"T01": {"a": 1}, "1": {"a": 1}, "2": {"b": 1}, "3": {"c": 1}}
CASES: list[tuple[str, Any, bytes | str, str]] = [
    (load, json.loads(given), content(cell), told) for load, given, cell, told in rows_of(HERE / "refused.tsv")
]
CASES += [("runs", {}, made, told) for made, told in REFUSED]

shared = module_warehouse(lambda warehouse: warehouse.load_qrels(SAMPLE / "qrels.txt", "q"))


@pytest.mark.parametrize("load", few_of(dict.fromkeys(load for load, *_ in CASES), 2))
@pytest.mark.parametrize("few", few_of([True, False], 1))
def test_what_cannot_be_loaded_is_refused_by_its_format(empty: Warehouse, tmp_path: Path, load: str, few: bool) -> None:
    empty.load_qrels(GIVEN, "judged")
    before = empty.rows(HELD)
    cases = [case for at, case in enumerate(CASES) if case[0] == load and (at % 5 == 0) == few]
    assert cases
    for _, options, made, complaint in cases:
        with pytest.raises(EvalsqlError) as caught:
            getattr(empty, f"load_{load}")(write(tmp_path / "r", made), **options)
        assert re.search(complaint, str(caught.value)), (made[:500], str(caught.value))
        assert empty.rows(HELD) == before, made[:500]


@pytest.mark.parametrize("few", few_of([True, False], 1))
def test_data_in_memory_that_is_no_run_is_refused(empty: Warehouse, few: bool) -> None:
    for data, complaint in [each for at, each in enumerate(REFUSED_FRAMES) if (at % 4 == 0) == few]:
        with pytest.raises((UsageError, InputError)) as caught:
            empty.load_run(data, "r")
        assert re.search(complaint, str(caught.value)), (complaint, str(caught.value))
        empty.load_run({"1": {"a": 1.0}}, "good", replace=True)  # the refusal has left nothing behind
    assert empty.rows("select run from runs") == [("good",)]
    assert empty.rows("select run, document from rankings") == [("good", "a")]


@pytest.mark.parametrize("packing", ["gz", "xz", "bz2"])
def test_a_damaged_archive_is_refused(empty: Warehouse, tmp_path: Path, packing: str) -> None:
    content = bytearray(archive(packing, "".join(f"T1 Q0 d{at * 7919} {at} {at / 7} t\n" for at in range(2000))))
    for at in range(len(content) // 2, len(content) // 2 + 40):
        content[at] ^= 0xFF
    with pytest.raises(InputError, match=r"r\.tar"):
        empty.load_runs(write(tmp_path / f"r.tar.{packing}", bytes(content)))
    assert empty.rows("select count(*) from runs") == [(0,)]


def test_judgments_that_stand_twice_are_told_with_their_rows(shared: Warehouse, tmp_path: Path) -> None:
    rows = [("T01", "d1", 1, "a"), ("T01", "d2", 0, "a"), ("T01", "d1", 2, "b")]
    path = write(tmp_path / "t.csv", delimited(("qid", "docno", "label", "iteration"), rows, ","))
    told = r"t.csv:4: CSV: document d1 of topic T01 is already judged at line 2, with iterat"
    with pytest.raises(InputError, match=told):
        shared.load_qrels(path)
    shared.load_qrels(path, keep_best=True)
    judged = "select document, grade, iteration from judgments where qrels = 't' order by all"
    assert shared.rows(judged) == [("d1", 2, "b"), ("d2", 0, "a")]
    shared.load_qrels(path, form="groups", replace=True)
    assert shared.rows("select count(*) from judgments where qrels = 't'") == [(3,)]
    levels = [("T01", "u1", "d1", 2.0), ("T01", "u1", "d2", 1.0)]
    ordered = [(topic, document, group, level) for topic, group, document, level in levels]
    path = write(tmp_path / "p.csv", delimited(("topic", "document", "group", "level"), ordered, ","))
    shared.load_qrels(path, form="preferences")
    held = "select topic, judgment_group, subgroup, document, level from preferences"
    joined = f"{held} join topics using (topic_id) join documents using (document_id) order by document"
    assert shared.rows(joined) == [("T01", "u1", "0", "d1", 2.0), ("T01", "u1", "0", "d2", 1.0)]


NAMES = ("thema", "treffer", "wert", "stelle")
NAMED = {"topic": "thema", "document": "treffer", "score": "wert"}


@pytest.mark.long
def test_columns_are_named_where_they_are_not_known(shared: Warehouse, tmp_path: Path) -> None:
    table, rows = write(tmp_path / "r.csv", delimited(NAMES, RUN, ",")), records(NAMES, RUN)
    files = [table, write(tmp_path / "r.parquet", parquet(NAMES, RUN)), write(tmp_path / "r.jsonl", lines(rows))]
    loads: list[Any] = [partial(shared.load_runs, file) for file in files]
    loads += [partial(shared.load_run, data, "r") for data in (rows, pandas.DataFrame(rows))]
    for load in loads:
        for columns in (NAMED, {"topic": "thema", "document": "treffer", "rank": "stelle"}):
            load(columns=columns, qrels="q", replace=True)
            ranks = shared.rows("select topic, document, rank from rankings where run = 'r' order by all")
            assert ranks == sorted(RANKED)


@pytest.mark.long
def test_columns_are_named_on_the_command_line(command: Command, tmp_path: Path) -> None:
    judgments = write(tmp_path / "q.csv", delimited(NAMES[:3], [row[:3] for row in QRELS], ","))
    plain = write(tmp_path / "q.txt", TREC_QRELS), write(tmp_path / "r.run", TREC_RUN)
    table = write(tmp_path / "r.csv", delimited(NAMES, RUN, ","))
    named = "topic=thema,document=treffer,"
    options = ("--columns", f"{named}score=wert", "--qrels-columns", f"{named}grade=wert")
    asked = ("-m", "nDCG@10", "-m", "AP", "--format", "csv")
    assert command("eval", judgments, table, *options, *asked).stdout == command("eval", *plain, *asked).stdout != ""
    assert command("load", "qrels", judgments, "--columns", f"{named}grade=wert").returncode == 0
    refused = command("load", "runs", table, "--columns", "topic")
    told = 'columns are named as in topic=qid,document=docno,score=score, found "topic"'
    assert_refused(refused, told)


def test_a_ranking_has_no_scores_to_turn_round() -> None:
    with pytest.raises(UsageError, match="a ranking without scores is in order already"):
        evalsql.evaluate(nested(QRELS), ranked(), MEASURES, lower_is_better=True)
    with pytest.raises(InputError, match="document d1 of topic T01 stands more than once"):
        evalsql.evaluate(nested(QRELS), {"T01": ["d1", "d2", "d1"]}, MEASURES)


def test_many_lines_of_one_cause_are_one_line_with_their_number(shared: Warehouse, tmp_path: Path) -> None:
    for name, header, line in (
        ("r.run", "", "T01 Q0 d{0} {0} x{0} t\n"),
        ("r.csv", "qid,docno,score\n", "T01,d{0},x{0}\n"),
    ):
        text = header + "".join(line.format(number) for number in range(20_000)) + line.partition("d")[0] + "\n"
        with pytest.raises(InputError) as caught:
            shared.load_runs(write(tmp_path / name, text), qrels="q", replace=True)
        told = str(caught.value).splitlines()
        assert told[0].startswith(f"{tmp_path / name}:")
        assert told[0].endswith('score "x0" is not a number, and 19,999 more like it')
        assert told[-2:] == ["20,001 problems in all", "nothing was loaded"]
        assert len(told) == 4
        assert caught.value.count == 20_001


def test_a_circle_of_preferences_by_way_of_others_is_refused_and_every_problem_is_told(
    empty: Warehouse, tmp_path: Path
) -> None:
    text = "t g 1 a 9\nt g 1 b 5\nt g 1 x 5\nt g 2 b 2\nt g 2 c 1\nt g 3 c 3\nt g 3 x 2\nt g 3 d 0.5\nt g 4 d 2\n"
    text += "t g 4 a 1\nt h 1 a 1\nt h 1 b two\nt h 1 a 2\n"
    with pytest.raises(InputError) as refusal:
        empty.load_qrels(write(tmp_path / "q.txt", text), form="preferences")
    faults = [str(problem).removeprefix(f"{tmp_path}/") for problem in refusal.value.problems]
    assert faults[0] == 'q.txt:12: level "two" is not a number'
    assert faults[1] == "q.txt:13: document a of topic t in group h stands in subgroup 1 already, at line 11"
    assert faults[2] in [
        f"q.txt: group g of topic t contradicts itself, preferring {circle}"
        for circle in ("a to b, b to c, c to x, x to d, d to a", "a to x, x to d, d to a")
    ]
