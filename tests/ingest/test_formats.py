"""Every format of runs and judgments gives the figures of the same data as TREC files; others are refused by name."""

import gzip
import io
import json
from itertools import product, zip_longest
from pathlib import Path

import pytest

import evalsql
from evalsql import EvalsqlError, Warehouse
from evalsql.ingest.files.input_files import stem
from tests.conftest import SAMPLE, Command, module_warehouse, warned, write
from tests.ingest.sample_rows import QRELS, RUN, TREC_QRELS, TREC_RUN
from tests.ingest.topic_variants import TOPICS_FILES, TOPICS_FRAMES
from tests.ingest.variants import (
    ALIGNED,
    FRAMES,
    MEASURES,
    ODD_RUNS,
    PACKS,
    QRELS_FILES,
    QRELS_FRAMES,
    RANKED,
    RANKINGS,
    RUNS,
    nested,
    parquet,
)
from tests.long_cases import few_of
from tests.tools import formats_table
from tests.tools.formats_table import GUIDE, format_of
from tests.tools.marked import replaced

RANKS = "select topic, document, rank from rankings where run = ? order by all"
GRADES = "select topic, document, grade from judgments where qrels = 'q' order by all"
EXPECTED_RANKS = sorted(RANKED)
EXPECTED_GRADES = sorted((topic, document, grade) for topic, document, grade, _ in QRELS)


# One for all formats, each load taking the place of the one before.
shared = module_warehouse(lambda warehouse: warehouse.load_qrels(SAMPLE / "qrels.txt", "judged"))


def test_runs_of_any_format_and_compression_have_the_ranks_of_their_trec_file(empty: Warehouse, tmp_path: Path) -> None:
    """Loaded at once; that a file has the same rows alone is tried with files together."""
    packed = product(("TREC", "CSV", "JSON dict of dicts", "Parquet", "Feather"), PACKS)
    files = {
        **{kind: (f"{at}", data) for at, (kind, data) in enumerate(RUNS.items())},
        **{kind: (f"odd {at}", data) for at, (kind, data) in enumerate(ODD_RUNS.items())},
        **{f"{kind}, {pack}": (f"{kind} {pack}.run.xz", PACKS[pack](RUNS[kind])) for kind, pack in packed},
    }
    archives = {kind: files.pop(kind) for kind in [*files] if "archive" in kind}
    loaded = empty.load_runs([write(tmp_path / name, data) for name, data in files.values()])
    assert loaded == [stem(name) for name, _ in files.values()]
    notice = empty.loader.notices[0]
    assert f"TREC ({sum(kind.startswith('TREC') for kind in files)} files)" in notice
    assert notice.endswith(", lower E-values being better")
    runs = dict(zip(files, loaded, strict=True))
    how = {run: rest for run, *rest in empty.rows("select run, tie_rule, lower_is_better from runs")}
    for kind, run in runs.items():
        assert empty.rows(RANKS, [run]) == EXPECTED_RANKS, kind
        holds_evalues = kind.startswith(ALIGNED) or "E-values" in kind
        is_ranking = kind in RANKINGS or kind.startswith("rankings")
        rule = "rank" if is_ranking else "trec_eval_10" if holds_evalues else "trec_eval"
        assert how[run] == [rule, holds_evalues], kind
    for kind, (name, data) in archives.items():  # a run is called as the file within, r in each
        empty.load_runs(write(tmp_path / name, data), replace=True)
        assert empty.rows(RANKS, ["r"]) == EXPECTED_RANKS, kind
        assert empty.loader.notices == ["read as TREC"]
    assert empty.rows("select table_name from duckdb_tables() where temporary") == []


def test_true_and_false_are_the_grades_1_and_0(empty: Warehouse, tmp_path: Path) -> None:
    record = {"qid": "1", "docno": "a", "is_relevant": True}
    records = [record, record | {"docno": "b", "is_relevant": False}]
    files = [
        json.dumps(records),
        "".join(f"{json.dumps(each)}\n" for each in records),
        json.dumps({"1": {"a": True, "b": False}}),
        "qid,docno,label\n1,a,True\n1,b,FALSE\n",
        "1 0 a true\n1 0 b false\n",
    ]
    written = [write(tmp_path / f"{at}.qrels", text) for at, text in enumerate(files)]
    for held in (*written, records, {"1": {"a": True, "b": False}}):
        empty.load_qrels(held, "q", replace=True)
        assert empty.rows(GRADES) == [("1", "a", 1), ("1", "b", 0)], held


@pytest.mark.long
def test_judgments_of_any_format_and_compression_have_the_grades_of_their_trec_file(
    shared: Warehouse, tmp_path: Path
) -> None:
    negative = b"T01 nowhere -1\n" + QRELS_FILES["text of three columns"]
    files = {
        **QRELS_FILES,
        **{name: pack(TREC_QRELS.encode()) for name, pack in PACKS.items()},
        "a negative grade first": negative,
    }
    for kind, data in files.items():
        shared.load_qrels(write(tmp_path / "q", data), "q", replace=True)
        expected = [("T01", "nowhere", -1), *EXPECTED_GRADES] if data == negative else EXPECTED_GRADES
        assert shared.rows(GRADES) == sorted(expected), kind
        assert shared.loader.notices[0].startswith("read as "), kind


def piped(monkeypatch: pytest.MonkeyPatch, content: bytes) -> str:
    """Standard input that holds this."""
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
    return "-"


@pytest.mark.parametrize(("run", "judged"), few_of(zip_longest(reversed(RUNS), QRELS_FILES, fillvalue="TREC"), 2))
def test_any_format_comes_from_standard_input(
    shared: Warehouse, run: str, judged: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared.load_runs(piped(monkeypatch, RUNS[run]), name="r", qrels="judged", replace=True)
    assert shared.rows(RANKS, ["r"]) == EXPECTED_RANKS
    shared.load_qrels(piped(monkeypatch, QRELS_FILES[judged]), "q", replace=True)
    assert shared.rows(GRADES) == EXPECTED_GRADES


@pytest.mark.long
def test_a_frame_is_whatever_holds_rows(shared: Warehouse) -> None:
    for kind, make in FRAMES.items():
        shared.load_run(make(), "r", qrels="judged", replace=True)
        assert shared.rows(RANKS, ["r"]) == EXPECTED_RANKS, kind
    for kind, make in QRELS_FRAMES.items():
        shared.load_qrels(make(), "q", replace=True)
        assert shared.rows(GRADES) == EXPECTED_GRADES, kind


def test_what_quepid_and_ntcir_write_beside_rows_is_left_out(empty: Warehouse, tmp_path: Path) -> None:
    """Queries without a rating in the one, what the system is in the other."""
    rated = write(tmp_path / "rated.csv", "query,docid,rating\nred shoes,a,3\nred shoes,b,\nhats,,\n")
    assert warned(lambda: empty.load_qrels(rated)) == [f"{rated}: CSV: 2 rows left out, not judged yet"]
    assert empty.rows("select topic, document, grade from judgments") == [("red shoes", "a", 3)]
    described = "<SYSDESC>BM25 of titles</SYSDESC>\n0001 0 a 1 2.5 own\n0001 0 b 2 1.5 own\n"
    empty.load_runs(write(tmp_path / "own.txt", described))
    ranked = "select document, comments from rankings join runs using (run) order by rank"
    assert empty.rows(ranked) == [(each, described.partition("\n")[0]) for each in "ab"]


@pytest.mark.parametrize("kind", few_of(reversed(FRAMES), 1))
def test_frames_are_evaluated_at_once(kind: str) -> None:
    """Without a warehouse to keep them in; what each kind holds is tried above."""
    expected = evalsql.evaluate(nested(QRELS), nested(RUN), MEASURES)
    assert evalsql.evaluate(nested(QRELS), FRAMES[kind](), MEASURES) == pytest.approx(expected, abs=1e-12)


# What a file that holds no topics is told, by what one sees in it.
REFUSED_TOPICS = (
    "topic<TAB>text|more than two columns|is Arrow|is a (tar|zip)|fields, such as|says nothing of its topics"
)
# Formats that another name says more of where they are refused.
SAID = {
    "DIAMOND": "BLAST tabular",
    "MMseqs2": "BLAST tabular",
    "Quepid": "CSV",
    "TREC topics, SGML": "TREC topics",
    "TREC topics, XML": "an XML document",
    "JSON texts": "JSON: topic 1",
    "text of three columns": "the same ranks again and again",
}
OTHERS = [name for name in GUIDE if name not in map(format_of, (*FRAMES, *QRELS_FRAMES, *TOPICS_FRAMES))]


def test_a_format_of_the_other_kind_is_refused_by_its_name(shared: Warehouse, tmp_path: Path) -> None:
    """What the guide's table says no to."""
    for name in OTHERS:
        runs, judged, topics = (
            [content for kind, content in files.items() if format_of(kind) == name]
            for files in (RUNS, QRELS_FILES, TOPICS_FILES)
        )
        given = write(tmp_path / "given", (runs or judged or topics)[0])
        if not judged:
            with pytest.raises(EvalsqlError, match=SAID.get(name, name.partition(" ")[0])):
                shared.load_qrels(given, "other")
        if not runs:
            with pytest.raises(EvalsqlError, match=SAID.get(name, name)):
                shared.load_runs(given, name="other", qrels="judged")
        if not topics:
            with pytest.raises(EvalsqlError, match=REFUSED_TOPICS):
                shared.load_topics(given, qrels="judged")


# By the command, whose engine may read the named files and temporary ones only


@pytest.mark.long
@pytest.mark.parametrize(
    ("kind", "packed"),
    few_of(
        [
            ("Parquet", False),
            ("CSV", True),
            *product(("CSV", "JSON lines", "Feather", "JSON dict of dicts"), (False, True)),
        ]
    ),
)
def test_the_command_loads_files_of_every_format(command: Command, tmp_path: Path, kind: str, packed: bool) -> None:
    content = RUNS[kind]
    path = write(tmp_path / "given", gzip.compress(content) if packed else content)
    assert command("load", "qrels", SAMPLE / "qrels.txt", "--name", "q", "--db", "w.duckdb").returncode == 0
    outcome = command("load", "runs", path, "--db", "w.duckdb")
    assert outcome.returncode == 0, outcome.stderr
    with evalsql.open(tmp_path / "w.duckdb", read_only=True) as warehouse:
        assert warehouse.rows(RANKS, ["given"]) == EXPECTED_RANKS


def test_a_name_with_wildcards_is_the_name_of_a_file(command: Command, tmp_path: Path) -> None:
    for name in ("p[q].parquet", "we[i]rd'.csv"):
        content = RUNS["CSV"] if name.endswith("csv") else parquet(("qid", "docno", "score"), RUN)
        write(tmp_path / name, content)
        outcome = command("load", "runs", name, "--db", "w.duckdb")
        assert outcome.returncode == 0, outcome.stderr
        assert f"{len(RUN):,} documents retrieved" in outcome.stderr


@pytest.mark.long
def test_commands_say_which_formats_they_take(command: Command, tmp_path: Path) -> None:
    asked = ("-m", "AP", "--format", "csv")
    qrels, bm25 = write(tmp_path / "q.txt", TREC_QRELS), write(tmp_path / "run.run", TREC_RUN)
    trec = command("eval", qrels, "-", *asked, stdin=TREC_RUN)
    assert trec.stdout.startswith("qrels,run,")
    assert "read as" not in trec.stderr
    done = command("eval", qrels, "-", *asked, stdin=RUNS["BLAST tabular, -outfmt 7"].decode())
    assert done.stdout == trec.stdout
    assert done.stderr.startswith("judgments read as TREC\nruns read as BLAST")
    judged = write(tmp_path / "q.parquet", QRELS_FILES["Parquet"])
    assert command("load", "qrels", judged, "--name", "q").stderr.strip().endswith("; read as Parquet")
    several = command("load", "runs", write(tmp_path / "r.parquet", RUNS["Parquet"]), bm25)
    assert several.stderr.splitlines()[0].endswith("; read as Parquet (1 file), TREC (1 file)")


def test_the_table_of_formats_in_the_guide_is_that_of_the_tests() -> None:
    text = formats_table.PAGE.read_text(encoding="utf-8")
    assert formats_table.table() in text
    assert replaced(text, "formats", formats_table.table()) == text
    used = set(map(format_of, (*RUNS, *QRELS_FILES, *FRAMES, *QRELS_FRAMES, *TOPICS_FILES, *TOPICS_FRAMES)))
    assert used == set(GUIDE)


def test_what_files_are_read_as_is_told(empty: Warehouse, tmp_path: Path) -> None:
    empty.load_qrels(write(tmp_path / "q.txt", "topic iteration docno grade\n1 0 d1 1\n"))
    assert empty.loader.notices[0] == "read as TREC"
    empty.load_qrels(write(tmp_path / "r.jsonl", json.dumps({"qid": "1", "docno": "d" * 300, "grade": 1}) + "\n"))
    assert empty.loader.notices[0] == "read as JSON lines"
