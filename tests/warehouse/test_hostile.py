"""Input and use that once went wrong, or would have: each is refused in words or gives the right result."""

import bz2
import gzip
import json
import lzma
import os
import pickle
import re
import shlex
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Any

import numpy
import pandas
import pytest

import evalsql
from evalsql import InputError, InputWarning, QueryError, UsageError, Warehouse
from evalsql.errors import Problem
from evalsql.evaluation.listings import wide_query
from evalsql.literals import literal
from tests.conftest import SAMPLE, Command, assert_refused, new_file, warned, write
from tests.long_cases import few_of

QRELS = "q1 0 d1 1\nq1 0 d2 0\nq2 0 d3 2\n"
RUN = "q1 Q0 d1 1 3.0 t\nq1 Q0 d2 2 2.0 t\nq2 Q0 d3 1 1.0 t\n"
EVERYTHING = "select topic, document from rankings order by run, topic, rank"
WHOLE = [("q1", "d1"), ("q1", "d2"), ("q2", "d3")]
WHITE = ("\v", "\f", " \f ", "\f\t")  # what parts columns for C
FILES: list[tuple[str, str | bytes, str | list[tuple[str, str]]]] = [
    *((f"{folder}/score=9/r.run", RUN, WHOLE) for folder in ("topic=q2", "document=zz", "file_id=3", "tag=other")),
    *(("r.run", RUN.replace("q1 Q0 d2 2", f"{white}q1{white}Q0{white}d2 2"), WHOLE) for white in WHITE),
    *(("r.run", RUN.replace(" d2 ", f" d1{white} "), "run:2: document d1 of .* already stands") for white in WHITE),
    ("r.run", RUN + "q1 Q0 " + "x" * 1_100_000 + " 3 1 t\n", "r.run:4: longer than 1,000,000 bytes"),
    ("r.run", RUN + "q1 Q0 d 3 1 " + "x" * 33_000_000 + "\n", "r.run:4: longer than 1,000,000 bytes"),
    ("r.run", RUN + "q1 Q0 d 3 1 t\rq1 Q0 e 3 1 t\n", "r.run:4: holds a carriage return that ends no line"),
    ("r.run", "\ufeff" + RUN.replace("q2", "\ufeffq2"), WHOLE),  # files with a mark put together
    ("r.run.gz", gzip.compress(RUN.encode())[:-8] + bytes(8), "r.run.gz: cannot be read"),
    ("r.run.bz2", bz2.compress(RUN[:17].encode()) + bz2.compress(RUN[17:].encode()), WHOLE),
    ("r.run.bz2", bz2.compress(RUN.encode()) + b"BZh0" + bz2.compress(RUN.encode())[4:], "r.run.bz2: cannot be read"),
    ("r.run.xz", lzma.compress(RUN.encode()) + b"\xfd7zXY" + bytes(9), "r.run.xz: cannot be read"),
    (os.fsdecode(b"r\xff.run"), RUN, r"r\\udcff.run: file name is not UTF-8 text"),
]


@pytest.fixture
def judged(empty: Warehouse, tmp_path: Path) -> Warehouse:
    empty.load_qrels(write(tmp_path / "q.txt", QRELS))
    return empty


# Files


def test_a_file_is_loaded_whole_or_refused(judged: Warehouse, tmp_path: Path) -> None:
    for nth, (name, text, expected) in enumerate(FILES):
        path = write(tmp_path / f"{nth}" / name, text)
        if isinstance(expected, str):
            with pytest.raises(InputError, match=expected):
                judged.load_runs(str(path), name="r", replace=True)
        else:
            told = warned(partial(judged.load_runs, path, name="r", replace=True))
            marks = [True] * ("\ufeff" in str(text))
            assert ["r.run:3: starts with a byte-order mark" in each for each in told] == marks
            assert judged.rows(EVERYTHING) == expected


def test_a_pipe_is_read_whole(judged: Warehouse, tmp_path: Path) -> None:
    lines = "".join(f"q1 Q0 document-{number:06} 1 {number} tag\n" for number in range(20_000))
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = Thread(target=lambda: pipe.write_text(lines))
    writer.start()
    judged.load_runs(pipe, name="piped")
    writer.join(timeout=30)
    assert judged.rows("select count(*) from retrieved") == [(20_000,)]


def test_holes_of_zero_bytes_are_kept_and_told(judged: Warehouse, tmp_path: Path, command: Command) -> None:
    path = write(tmp_path / "r.run", RUN + "\0" * 5000 + "q2 Q0 d4 2 0.5 t\n")
    with pytest.warns(InputWarning, match=r"r.run:4: holds zero bytes"):
        judged.load_runs(path)
    assert judged.rows("select topic, document from rankings where document = 'd4'") == [("\0" * 5000 + "q2", "d4")]
    assert judged.rows("select num_topics, extra_topics from coverage") == [(2, 1)]
    told = command("eval", tmp_path / "q.txt", path, "-m", "AP").stderr
    assert "r.run:4: holds zero bytes, which are kept" in told
    assert "r has 1 topic without judgments" in told


def test_ranks_that_are_used_are_whole(judged: Warehouse, tmp_path: Path) -> None:
    for rank in ("1.4", "0x10", "1e1", "one", "", "2147483648", "-99999999999"):
        with pytest.raises(InputError, match=r"r.run:1:"):
            judged.load_runs(write(tmp_path / "r.run", RUN.replace("d1 1", f"d1 {rank}")), tie_rule="rank")
    judged.load_runs(write(tmp_path / "r.run", RUN.replace("d1 1", "d1 3.0")), tie_rule="rank")
    assert judged.rows(EVERYTHING) == [("q1", "d2"), ("q1", "d1"), ("q2", "d3")]
    for unlike in (1.4, 2147483648, 1e300):
        frame = pandas.DataFrame({"qid": ["q1"], "docno": ["d1"], "score": [1.0], "rank": [unlike]})
        with pytest.raises(InputError, match=r'frame:1: rank "\S+" (is not a whole number|does not go into 32 bits)'):
            judged.load_run(frame, "frame", tie_rule="rank")


def test_a_folder_called_tilde_is_no_home(judged: Warehouse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for folder, document in (("~", "here"), ("home", "elsewhere")):
        write(tmp_path / folder / "r.run", f"q1 Q0 {document} 1 1 t\n")
        write(tmp_path / folder / "r.qrels", f"q1 0 {document} 1\n")
    judged.load_runs("~/r.run")
    judged.load_qrels("~/r.qrels", runs="r")
    assert judged.rows(EVERYTHING) == [("q1", "here")]
    assert judged.evaluate("RR", qrels="r").fetchall() == [("r", "r", 1.0)]


def test_input_order_goes_by_file_and_nothing_staged_is_left(judged: Warehouse, tmp_path: Path) -> None:
    """Whichever reader takes the first."""
    files = [write(tmp_path / f"{name}.run", f"q1{gap}Q0 d{name} 1 1 t\n") for name, gap in (("A", "  "), ("B", " "))]
    judged.load_runs(files, name="both", tie_rule="input")
    assert judged.rows(EVERYTHING) == [("q1", "dA"), ("q1", "dB")]
    judged.load_run({"q1": {"d1": 1.0}}, "dict")
    judged.load_qrels({"q1": {"d1": 1}}, "dict")
    assert judged.rows("select table_name from duckdb_tables() where temporary") == []


def test_a_comment_is_no_tag(judged: Warehouse, tmp_path: Path) -> None:
    text = RUN.replace(" t\n", "\n")
    for name, first in (("comment", "# this is a comment line\n"), ("header", "qid Q0 docid rank score tag\n")):
        judged.load_runs(write(tmp_path / f"{name}.run", first + text))
    assert judged.rows("select tag, num_tags, comments <> '' from runs") == [(None, 0, True)] * 2


def test_a_missing_file_and_bad_lines_are_told_together(judged: Warehouse, tmp_path: Path) -> None:
    bad = write(tmp_path / "bad.run", "q1 Q0 d1 1 x t\n")
    with pytest.raises(InputError) as caught:
        judged.load_runs([bad, tmp_path / "absent.run", "x" * 300])
    assert sorted(problem.reason for problem in caught.value.problems) == [
        "file name too long",
        "no such file or directory",
        'score "x" is not a number',
    ]


def test_a_file_deleted_while_it_loads(judged: Warehouse, tmp_path: Path) -> None:
    path = write(tmp_path / "r.run", RUN)
    with pytest.raises(InputError, match=r"r\.run: no such file or directory"):
        judged.load_runs(path, progress=lambda *_: path.unlink(missing_ok=True))
    assert judged.rows("select count(*) from runs") == [(0,)]


def test_a_depth_is_a_number_of_documents(judged: Warehouse, tmp_path: Path) -> None:
    path = write(tmp_path / "r.run", RUN)
    wrong: list[Any] = [-1, 0, 1.5, True, "3", 2**31]
    for depth in wrong:
        for load in (partial(judged.load_runs, path), partial(judged.load_run, {"q1": {"d1": 1.0}}, "r")):
            with pytest.raises(UsageError, match=r"depth is .*, but must be a whole number from 1"):
                load(depth=depth)
    assert judged.rows("select count(*) from runs") == [(0,)]
    judged.load_run({"q1": {"d1": 1.0, "d2": 2.0}}, "r", depth=numpy.int64(1))  # type: ignore[arg-type]
    assert judged.rows("select depth, count(*) from runs, retrieved group by all") == [(1, 1)]


# Databases


@pytest.mark.long
def test_output_does_not_go_over_what_is_in_use(command: Command, tmp_path: Path) -> None:
    write(tmp_path / "q.txt", QRELS)
    write(tmp_path / "r.run", RUN)
    new_file(tmp_path).rename(tmp_path / "w.duckdb")
    for target in ("w.duckdb", "q.txt", "r.run"):
        before = (tmp_path / target).read_bytes()
        first = ("ls", "--db", "w.duckdb") if target == "w.duckdb" else ("eval", "q.txt", "*.run")
        assert_refused(command(*first, "-o", target, "--format", "csv"), f"{target}: is in use here")
        assert (tmp_path / target).read_bytes() == before


# Measures


def test_gains_mean_the_same_however_they_are_spelt(judged: Warehouse) -> None:
    judged.load_run({"q1": {"d2": 2.0, "d1": 1.0}, "q2": {"d3": 1.0}}, "r")
    spelt = ("{1:1,2:2,3:3}", "'01=1,2=2'", "'+1=1, 2=2.0'", "{1: 1, 2: 2}", "{1: 1.0, 2: 20e-1}", "None")
    values = [judged.evaluate(f"nDCG(gains={gains})").fetchall() for gains in spelt]
    assert values == values[:1] * len(spelt)
    with pytest.raises(UsageError):
        judged.evaluate(f"nDCG(gains={'-' * 5000}1)")


# The library


def test_frames_go_by_their_keys_and_by_their_scores(judged: Warehouse) -> None:
    """As PyTerrier has them, and in reverse, with whatever index."""
    frame = pandas.DataFrame({"qid": "q1", "docno": ["d1", "d2"], "score": [1.0, 2.0], "query": "?", "document": "its"})
    for name, each in (("pt", frame), ("here", frame[::-1]), ("there", frame[::-1].reset_index(drop=True))):
        judged.load_run(each, name)
    assert judged.rows(EVERYTHING) == [("q1", "d2"), ("q1", "d1")] * 3


def test_judgments_in_memory_keep_the_best_when_told_to(empty: Warehouse) -> None:
    frame = pandas.DataFrame(
        {"qid": ["q", "q", "q"], "docno": ["a", "a", "b"], "label": [1, 3, 0], "iter": ["x", "y", None]}
    )
    empty.load_qrels(frame, "q", keep_best=True)
    rows = empty.rows("select iteration, document, grade from judgments order by all")
    assert rows == [("0", "b", 0), ("y", "a", 3)]
    assert empty.rows("select duplicates from qrels") == [(1,)]


def test_of_equal_judgments_the_first_is_kept_by_any_number_of_threads(empty: Warehouse) -> None:
    empty.execute("set threads = 8; pragma verify_parallelism")
    documents = [f"d{at}" for at in range(20_000)]
    frame = pandas.DataFrame(
        {"qid": "q", "docno": documents * 8, "label": 1, "iter": numpy.repeat([*"abcdefgh"], 20_000)}
    )
    empty.load_qrels(frame, "q", keep_best=True)
    assert empty.rows("select iteration, count(*) from judgments group by all") == [("a", 20_000)]


def test_arguments_of_no_use_are_usage_errors(judged: Warehouse) -> None:
    frame = pandas.DataFrame({"qid": ["q\udc80"], "docno": ["d"], "score": [1.0]}, dtype=object)
    calls: list[tuple[Any, Any]] = [
        (judged.load_runs, None),
        (judged.load_runs, [1]),
        (judged.evaluate, None),
        (partial(evalsql.evaluate, {"q": {"d": 1}}, {"q": {"d": 1.0}}), None),
        (lambda limit: evalsql.open(":memory:", memory_limit=limit), 5),
        (lambda data: judged.load_run(data, "r"), frame),
    ]
    for call, argument in calls:
        with pytest.raises(evalsql.EvalsqlError):
            call(argument)


# The command line


def test_json_holds_what_it_can_and_says_what_it_cannot(command: Command, sample_file: Path) -> None:
    odd = command("sql", "select 'nan'::double as a, 'inf'::double as b", "--db", sample_file, "--format", "json")
    assert json.loads(odd.stdout) == [{"a": "nan", "b": "inf"}]
    decimals = "select 1.50 as a, 12345678901234567890.5 as b, [0.25, 0.5] as c, {'x': 'nan'::double} as d"
    numbers = command("sql", decimals, "--db", sample_file, "--format", "jsonl")
    assert json.loads(numbers.stdout, parse_constant=str.upper) == {
        "a": 1.5, "b": "12345678901234567890.5", "c": [0.25, 0.5], "d": {"x": "nan"}
    }  # fmt: skip


def test_names_that_would_break_a_row_are_escaped(command: Command, tmp_path: Path) -> None:
    write(tmp_path / "q.txt", QRELS)
    write(tmp_path / "a\tb\u2028c.run", RUN)
    lines = command("eval", "q.txt", "a\tb\u2028c.run", "-m", "AP").stdout.splitlines()
    assert len(lines) == 3
    assert r"a\tb\u2028c" in lines[2]


def test_refused_input_comes_whole_out_of_another_process() -> None:
    refused = InputError([Problem("f", 2, "bad"), Problem("f", 3, "worse")], 40)
    sent = pickle.loads(pickle.dumps(refused))
    assert (str(sent), sent.count, sent.problems) == (str(refused), 40, refused.problems)


def test_what_means_something_is_not(demo: Command) -> None:
    for words in (
        *("diff bm25 dense -m AP --topic T12", "gate dense --rule 'AP drop <= 0.9' --baseline latest"),
        "fuse map bm25 dense --name f --rel 3",
    ):
        assert demo(*shlex.split(words)).returncode == 0, words


def refusal(warehouse: Warehouse, relation: str, argument: str) -> str:
    """What a relation says of an argument; nothing where it takes it."""
    try:
        warehouse.rows(f"select count(*) from {relation}({argument})")
    except QueryError as error:
        return str(error).splitlines()[0]
    return ""


@pytest.mark.parametrize("every", few_of([False, True], 1))
def test_words_that_a_parameter_does_not_take_are_refused_in_sql(sample: Warehouse, every: bool) -> None:
    """A misspelled one was taken for some other. By default a parameter of each name and domain is tried."""
    asked = [
        (relation.name, parameter)
        for relation in sample.catalog.of_kind("measures", "fusion", "statistics", "reports", "boards", "judging")
        for parameter in relation.parameters
        # Kappa has no rows to be wrong in, as there is one judgment set.
        if parameter.choices and not relation.header.inputs and parameter.name != "disagreement"
    ]
    assert len(asked) > 100
    by_domain = {(parameter.name, parameter.domain): (name, parameter) for name, parameter in asked}
    for name, parameter in asked if every else by_domain.values():
        word = parameter.choices[0].title()
        told = refusal(sample, name, f"{parameter.name} := '{word}'")
        assert f"{parameter.name} is {word}, but must be {parameter.choices[0]}" in told, name
        assert all(choice in told for choice in parameter.choices), name
    assert "dcg is null, but must be log2 or exp-log2" in refusal(sample, "ndcg", "dcg := null")


# By domain what is below or above it, what is at its ends, and how it is told.
OUTSIDE = {
    **{
        "[1, inf)": ("0", "1", "at least 1"),
        "[2, inf)": ("1", "2", "at least 2"),
        "[0, inf)": ("-1", "0", "at least 0"),
    },
    **{"(0, inf)": ("0", "0.01", "above 0"), "[0, 1]": ("1.01", "1", "at least 0 and at most 1")},
    **{"(0, 1)": ("1", "0.5", "above 0 and below 1"), "[0, 1)": ("1", "0", "at least 0 and below 1")},
    "(0, 1]": ("0", "1", "above 0 and at most 1"),
}


@pytest.mark.long
@pytest.mark.parametrize("every", few_of([False, True], 1))
def test_numbers_out_of_range_are_refused_in_sql(sample: Warehouse, every: bool) -> None:
    """By default one parameter of each domain is tried."""
    asked = [
        (relation.name, parameter)
        for relation in sample.catalog.of_kind("measures", "fusion", "statistics", "reports", "boards", "judging")
        for parameter in relation.parameters
        if parameter.domain in OUTSIDE and not relation.header.inputs
    ]
    assert len(asked) > 150
    by_domain = {parameter.domain: (name, parameter) for name, parameter in asked}
    for name, parameter in asked if every else by_domain.values():
        below, end, expected = OUTSIDE[parameter.domain or ""]
        told = refusal(sample, name, f"{parameter.name} := {below}")
        assert re.search(rf"{parameter.name} is {below}(\.0|0)?, but must be {expected}\b", told), (name, told)
        assert refusal(sample, name, f"{parameter.name} := {end}") == "", name
    assert "k is [5, 0], but must be at least 1" in refusal(sample, "ndcg", "k := [5, 0]")
    assert "p is null, but must be above 0 and below 1" in refusal(sample, "rbp", "p := null")


def test_replaced_judgments_stay_as_they_were(empty: Warehouse) -> None:
    for documents in ("abc", "ab"):
        empty.load_qrels({"t": dict.fromkeys(documents, 1)}, "$(x)", replace=True)
    counts = "select qrels, count(*) from judgments group by all order by all"
    with pytest.raises(UsageError, match=r"x\)@1 are an earlier version, which is.*evalsql drop qrels '\$\(x\)@1'$"):
        empty.load_qrels({"t": {"a": 1}}, "$(x)@1", replace=True)
    assert empty.rows(counts) == [("$(x)", 2), ("$(x)@1", 3)]


@pytest.mark.long
def test_the_command_that_diff_names_can_be_pasted(demo: Command, tmp_path: Path) -> None:
    with evalsql.open(tmp_path / "evalsql.duckdb") as warehouse:
        warehouse.load_runs(SAMPLE / "runs" / "bm25.run", name="o'ne; x")
    told = demo("diff", "o'ne; x", "dense", "-m", "AP")
    (line,) = (line for line in told.stderr.splitlines() if line.startswith("evalsql diff"))
    assert shlex.split(line)[:7] == ["evalsql", "diff", "o'ne; x", "dense", "-m", "AP", "--documents"]


@pytest.mark.long
def test_a_nul_in_a_name_changes_no_figure(judged: Warehouse) -> None:
    """DuckDB 1.5 ends a statement at it."""
    runs = {"odd": "n\0'u", "plain": "plain"}
    for name in runs.values():
        judged.load_run({"q1": {"d2": 2.0, "d1": 1.0}}, name)
    for name in runs.values():
        assert judged.evaluate("AP", runs=name).fetchall() == [("q", name, 0.25)]
        assert len(judged.compare(name, measures="AP").fetchall()) == 1
    ((same,),) = judged.rows(f"select {literal(runs['odd'])} = ?", [runs["odd"]])
    assert (same, "\0" in literal(runs["odd"])) == (True, False)
    wide = wide_query(judged.evaluation, ["AP"], qrels=(), runs=list(runs.values()))
    assert [row[3:] for row in judged.rows(wide)] == [(0.5, 0.5), (0.0, 0.0)]


@pytest.mark.long
@pytest.mark.parametrize(
    ("time", "day"), few_of([("290000-01-01", "1 January 290000"), ("2026-03-04 23:59", "4 March 2026")], 1)
)
def test_a_report_knows_days_beyond_those_of_python(judged: Warehouse, time: str, day: str) -> None:
    judged.load_run({"q1": {"d1": 1.0}}, "r")
    for table in ("runs", "qrels"):
        judged.execute(f"update {table} set loaded_at = '{time}'")
    assert f"loaded {day}&lt;" in judged.report()._repr_html_()


def test_threads_that_share_a_warehouse_get_their_own_rows(empty: Warehouse) -> None:
    asked = range(400)
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(lambda at: empty.rows("select ?", [at]), asked)) == [[(at,)] for at in asked]
