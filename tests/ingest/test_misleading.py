"""Figures that are true and that a person would take for others: each is told, or does not come about."""

from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import numpy
import pytest
import scipy.stats
from statsmodels.stats.multitest import multipletests

import evalsql
from evalsql import Warehouse
from evalsql.catalog.measure_names import DEFAULT_MEASURES, parse_measures
from tests.conftest import Command, Outcome, assert_refused, new_file, warned, write
from tests.long_cases import content, rows_of
from tests.random_collections import collection

E_VALUES = "t1 Q0 good 1 1e-180 blast\nt1 Q0 poor 2 1e-100 blast\n"
E_QRELS = "t1 0 good 1\nt1 0 poor 0\n"


# Scores that differ and are equal in 32 bits


@pytest.mark.long
def test_e_values_are_compared_in_64_bits(command: Command, empty: Warehouse, tmp_path: Path) -> None:
    qrels, run = write(tmp_path / "q.txt", E_QRELS), write(tmp_path / "blast.run", E_VALUES)
    scores = {"t1": {"good": 1e-180, "poor": 1e-100}}
    empty.load_qrels(qrels)
    empty.load_runs(run, lower_is_better=True)
    empty.load_run(scores, "memory", lower_is_better=True)
    assert empty.evaluate("AP").fetchall() == [("q", "blast", 1.0), ("q", "memory", 1.0)]
    assert empty.rows("select distinct tie_rule from runs") == [("trec_eval_10",)]
    assert evalsql.evaluate({"t1": {"good": 1}}, scores, "AP", lower_is_better=True) == {"AP": 1.0}
    for rule in ((), ("--tie-rule", "trec_eval")):
        found = command("eval", qrels, run, "-m", "AP", "--lower-is-better", "--format", "csv", *rule)
        assert found.stdout.splitlines()[1] == f"q,blast,{0.5 if rule else 1.0}"
        told = (
            "2 documents in 1 run tie only in 32-bit precision, which trec_eval 9 uses, such as poor and good of topic "
            't1 in blast; --tie-rule trec_eval_10, in Python tie_rule="trec_eval_10", compares 64 bits'
        )
        assert (told in found.stderr) == bool(rule)
    assert told in command("load", "runs", run, "--lower-is-better", *rule).stderr


def test_the_count_is_that_of_a_loop(empty: Warehouse) -> None:
    draw = numpy.random.default_rng(7)
    for least in (2.0**-40, 0):  # differences that 32 bits do not hold, or none
        run = {
            f"t{topic}": {f"d{at}": draw.integers(3) + float(draw.integers(3)) * least for at in range(20)}
            for topic in range(4)
        }
        expected = 0
        for scores in run.values():
            groups: dict[float, Counter[float]] = {}
            for score in scores.values():
                groups.setdefault(float(numpy.float32(score)), Counter())[score] += 1
            expected += sum(group.total() for group in groups.values() if len(group) > 1)
        assert (expected > 0) == (least > 0)
        for depth in (None, 30):
            told = warned(partial(empty.load_run, run, "run", depth=depth, replace=True))
            assert [int(text.split()[0]) for text in told] == [expected] * (expected > 0)


def test_scores_that_tie_in_truth_are_not_told(empty: Warehouse) -> None:
    near = {"a": 1.0, "b": 1.0, "c": 0.5, "d": 0.5 + 2.0**-40, "e": 0.5}
    (text,) = (text for text in warned(lambda: empty.load_run({"t": near}, "near")) if "32-bit" in text)
    # Of c, d and e, which are one tie, e comes first by its name, and d alone has another score.
    assert "such as e and d of topic t in near;" in text
    told = warned(lambda: empty.load_run({"t": {"a": 1.5, "b": 1.5, "c": 0.1, "d": 0.1}}, "ties"))
    assert not [text for text in told if "32-bit" in text]
    case = collection(3)
    told = warned(lambda: empty.load_run(case.run, "64 bits", tie_rule="trec_eval_10"))
    assert not [text for text in told if "32-bit" in text]


# Ids of another collection


def _foreign(topic: str, document: str) -> str:
    return "".join(f"{topic}{t} Q0 {document}{d} {d} {9 - d} tag\n" for t in (1, 2) for d in range(1, 5))


FOREIGN_QRELS = "".join(f"t{t} 0 doc-{d} {d % 2}\n" for t in (1, 2) for d in range(1, 5))


@pytest.mark.long
def test_ids_with_nothing_in_common_are_shown(command: Command, tmp_path: Path) -> None:
    qrels, file = write(tmp_path / "q.txt", FOREIGN_QRELS), write(tmp_path / "other.run", _foreign("t", "msmarco_doc-"))
    expected = (
        "none of 8 documents retrieved for 2 topics is judged (q); documents of the judgments doc-1, doc-3; "
        "of the run msmarco_doc-1, msmarco_doc-2"
    )
    line = f"other: {expected}\n"
    assert command("eval", qrels, file, "-m", "AP").stderr.count(line) == 1
    assert line not in command("load", "qrels", qrels).stderr
    assert line in command("load", "runs", file).stderr
    assert line in command("leaderboard", "-m", "AP").stderr
    assert line in command("load", "qrels", qrels, "--replace").stderr
    command("report", "-o", "report.json", "-m", "AP")
    assert line.strip() in (tmp_path / "report.json").read_text()


def test_topics_with_nothing_in_common_are_shown(empty: Warehouse, tmp_path: Path) -> None:
    qrels, file = write(tmp_path / "q.txt", FOREIGN_QRELS), write(tmp_path / "other.run", _foreign("", "doc-"))
    empty.load_qrels(qrels)
    told = "none of 2 topics is judged (q); topics of the judgments t1, t2; of the run 1, 2"
    assert f"other: {told}" in warned(lambda: empty.load_runs(file))
    found = warned(lambda: evalsql.evaluate(str(qrels), {"1": {"doc-1": 1.0}, "2": {"doc-1": 1.0}}, "AP"))
    assert any(told.replace("(q)", "(qrels)") in text for text in found)


def test_ids_that_overlap_by_chance_are_told(empty: Warehouse) -> None:
    empty.load_qrels({"t": {f"d{at}": 1 for at in range(150)}}, "q")
    expected = "r: only 1 of 400 documents retrieved for 1 topic is judged (q); documents of the judgments d0, d1; "
    for common in (1, 2, 5):
        scores = {f"d{at}" if at < common else f"x{at}": float(-at) for at in range(400)}
        told = warned(partial(empty.load_run, {"t": scores}, "r", replace=True))
        assert told == [expected + "of the run d0, x1"] * (common == 1)
    # Topics without judgments do not make ids look foreign.
    ranking = {f"d{at}": float(-at) for at in range(100)}
    told = warned(lambda: empty.load_run({"t": ranking} | {f"t{topic}": ranking for topic in range(50)}, "many"))
    assert not [text for text in told if "retrieved for" in text]


@pytest.mark.long
def test_what_chance_would_give_is_what_judgments_of_other_topics_do(empty: Warehouse) -> None:
    topics = range(30)
    judged = {f"t{t}": {f"{t}.{d}": 1 for d in range(30)} for t in topics}
    empty.load_qrels(judged, "q")
    for name, is_told in (("chance", True), ("own", False)):  # one of 30 is judged for its topic, and for each other
        run = {f"t{t}": {f"{u}.{t}" if is_told or u == t else f"{u} {t}": 1.0 - u for u in topics} for t in topics}
        line = "only 30 of 900 documents retrieved for 30 topics are judged (q); "
        told = warned(partial(empty.load_run, run, name))
        assert [text.startswith(f"{name}: {line}") for text in told] == [True] * is_told
        told = warned(partial(evalsql.evaluate, judged, run, "AP"))
        assert [line.replace("(q)", "(qrels)") in text for text in told] == [True] * is_told


def test_of_many_runs_with_foreign_ids_the_first_are_named(empty: Warehouse, tmp_path: Path) -> None:
    empty.load_qrels(write(tmp_path / "q.txt", FOREIGN_QRELS))
    for at in range(6):
        write(tmp_path / f"r{at}.run", _foreign("t", f"x{at}-"))
    told = warned(lambda: empty.load_runs(str(tmp_path / "*.run")))
    assert [text.split(":")[0] for text in told[:3]] == ["r0", "r1", "r2"]
    assert told[3:] == ["... and 3 more runs of which next to nothing is judged"]


# Ranks that contradict scores

RISING = "".join(f"t{t} Q0 doc-{d} {d} {d / 10} tag\n" for t in (1, 2) for d in range(1, 5))
EXCHANGED = "".join(f"t{t} Q0 doc-{d} {9 - d / 10} {d} tag\n" for t in (1, 2) for d in range(1, 5))
FALLING = "".join(f"t{t} Q0 doc-{d} {d} {-d / 10} tag\n" for t in (1, 2) for d in range(1, 5))
HEADED = "query Q0 docid rank score tag\n"


# By options of loading, what contradicts itself and what does not.
CASES: list[tuple[dict[str, Any], list[str], list[str]]] = [
    (
        {},
        [RISING, RISING.replace(" ", "\t"), HEADED + RISING, EXCHANGED],
        [
            FALLING,
            FALLING.replace("-0.3", "-0.1"),
            "".join(f"t Q0 doc-{d} {9 - d} {d} tag\n" for d in range(1, 5)),
            "".join(f"t Q0 doc-{d} 0 {d} tag\n" for d in range(1, 5)),
            "".join(f"t{d} Q0 doc-1 {d} {d} tag\n" for d in range(1, 5)),
        ],
    ),
    ({"lower_is_better": True}, [FALLING], [RISING]),
    ({"tie_rule": "rank"}, [], [RISING]),
    ({"tie_rule": "input"}, [], [RISING.replace(" 0.", " 1").replace("Q0 doc-1 1 11", "Q0 doc-1 0 12")]),
]


def test_ranks_that_contradict_scores_are_told(empty: Warehouse, tmp_path: Path) -> None:
    for nth, (options, contradicting, agreeing) in enumerate(CASES):
        for at, text in enumerate((*agreeing, *contradicting, *contradicting)):
            write(tmp_path / f"{nth}" / f"{at:02}.run", f"{text}# run {at}\n")
        told = warned(partial(empty.load_runs, tmp_path / f"{nth}", replace=True, **options))
        found = [text for text in told if "contradict" in text]
        assert len(found) == bool(contradicting), found
        first = f"{2 * len(contradicting)} runs, the first being {len(agreeing):02}: ranks and scores in the file "
        remedy = f"{'leave out' if options else 'give'} --lower-is-better, or exchange the columns"
        assert all(text.startswith(f"{first}contradict each other") and remedy in text for text in found), found


# Scores that order nothing, and runs that were loaded in several ways


def _names_order(scores: dict[str, dict[str, float]]) -> float:
    """Which share of its topic's documents has the score of a document, on average; those alone have none."""
    counts = [(Counter(topic.values()), len(topic)) for topic in scores.values()]
    shares = [n * (n > 1) * n / size for found, size in counts for n in found.values()]
    return sum(shares) / sum(size for _, size in counts)


@pytest.mark.long
def test_names_that_order_documents_are_told(empty: Warehouse) -> None:
    draw = numpy.random.default_rng(3)
    for nth in range(12):
        sizes = draw.integers(1, 30, 3)
        run = {f"t{t}": {f"d{d}": float(draw.integers(1 + nth // 2)) for d in range(sizes[t])} for t in range(3)}
        share, told = _names_order(run), warned(partial(empty.load_run, run, f"run{nth}"))
        line = f"run{nth}: on average a document has the same score as {100 * share:.0f}% of its topic's documents, so "
        assert [text.startswith(line) for text in told if "names" in text] == [True] * (share >= 0.5), (run, share)
        assert share >= 0.5 or nth > 1
        assert share < 0.5 or nth < 10


@pytest.mark.long
def test_how_runs_were_loaded_is_told_beside_figures(command: Command, tmp_path: Path) -> None:
    rows = [(t, d) for t in range(4) for d in range(1, 31)]
    file = write(tmp_path / "equal.run", "".join(f"t{t} Q0 d{d} {d} 1 x\n" for t, d in rows))
    columns = "'t' || range // 30 as topic, 'd' || (range % 30 + 1) as docid, range % 30 < 15 as score"
    duckdb.sql(f"copy (select {columns} from range(120)) to '{tmp_path / 'boolean.parquet'}'")
    command("load", "qrels", write(tmp_path / "q.txt", "".join(f"t{t} 0 d{d} {d % 2}\n" for t, d in rows if d % 3)))
    tied = [
        f"{run}: on average a document has the same score as {share}% of its topic's documents, so that their names "
        "decide the order; if the file has ranks, --tie-rule rank goes by them"
        for run, share in (("boolean", 50), ("equal", 100))
    ]
    loaded = command("load", "runs", file, tmp_path / "boolean.parquet").stderr
    assert all(f"evalsql: {line}\n" in loaded for line in tied)
    told, compared = [], command("compare", "equal", "-m", "AP").stderr
    for name, option, value, others in (
        ("deep", "--depth", 20, "depth, so figures may differ: 30 (boolean, equal), 20 (deep)"),
        ("known", "--judged-by", "q", "judged_by, so figures may differ: none (boolean, deep, equal), q (known)"),
        ("ranks", "--tie-rule", "rank", "tie_rule, so figures may differ: rank (ranks), trec_eval (boolean, "),
    ):
        assert f"runs differ in {others}" not in compared
        loaded = command("load", "runs", file, "--name", name, option, value).stderr
        assert (f"{name}: on average a document has the same score as" in loaded) == (name != "ranks")
        compared = command("compare", "equal", "-m", "AP").stderr
        assert f"  q: runs differ in {others}" in compared
        told.append(others.partition(":")[0])
    command("report", "-m", "AP", "-o", "report.json")
    report = (tmp_path / "report.json").read_text()
    for text in (compared, command("leaderboard", "-m", "AP").stderr, report):
        assert all(line in text for line in (*told, *tied))
    alone = command("gate", "ranks", "--rule", "AP >= 0").stderr
    assert "differ" not in alone
    beside = command("gate", "ranks", "--baseline", "known", "--rule", "AP >= 0").stderr
    assert [f"differ in {each}" in beside for each in told] == [False, True, True]


# Runs that wait for judgments


@pytest.mark.long
def test_judgments_take_the_runs_that_wait_and_others_are_named(command: Command, tmp_path: Path) -> None:
    qrels = write(tmp_path / "q.txt", E_QRELS)
    command("load", "runs", *(write(tmp_path / f"{name}.run", E_VALUES) for name in ("first", "second")))
    said = "evalsql: 2 runs wait for judgments: first, second; evalsql load qrels FILE{}\n"
    for arguments in (("leaderboard",), ("compare", "first"), ("report",)):
        found = command(*arguments)
        assert (found.returncode, found.stdout, found.stderr) == (2, "", said.format(" brings them"))
    # Those of other topics do not take them, and those that name a run take it alone.
    command("load", "qrels", write(tmp_path / "other.txt", "other-topic 0 d1 1\n"))
    assert command("leaderboard").stderr == said.format(" --run '*' --replace brings both together")
    command("load", "qrels", qrels, "--run", "first")
    expected = (
        "1 run waits for judgments: second; evalsql load qrels FILE --run second --replace brings both together\n"
    )
    assert expected in command("leaderboard", "-m", "AP").stderr
    assert expected not in command("topics", "first", "-m", "AP").stderr
    assert expected in command("compare", "first", "-m", "AP").stderr
    loaded = command("load", "qrels", qrels, "--name", "later")
    assert "1 run evaluated with them" in loaded.stderr
    board = command("leaderboard", "-m", "AP", "--format", "csv").stdout
    assert sorted(line.split(",")[:2] for line in board.splitlines()[1:]) == [["later", "second"], ["q", "first"]]
    for asked in ("leaderboard", "topics"):
        assert "other: evaluates none of these runs" in command(asked, "-m", "AP", "--qrels", "other").stderr


# What is corrected for, and where intervals end


@pytest.mark.long
def test_p_is_corrected_for_the_runs_asked_for(sample: Warehouse) -> None:
    found = sample.rows("""
        select p, p_corrected, num_tests, baseline, run
        from comparisons('bm25', runs := 'dense, tfidf', correction := 'benjamini_hochberg') where measure = 'AP'
    """)
    assert sorted(row[2:] for row in found) == [(2, "bm25", "dense"), (2, "bm25", "tfidf")]
    expected = multipletests([row[0] for row in found], method="fdr_bh")[1]
    assert [row[1] for row in found] == pytest.approx(list(expected), rel=1e-12)


@pytest.mark.long
def test_intervals_end_where_the_measure_does(empty_file: Warehouse, command: Command, tmp_path: Path) -> None:
    empty_file.load_qrels({f"t{at}": {"good": 1, "poor": 0} for at in range(20)}, "q")
    right = {f"t{at}": {"good": 2.0, "poor": 1.0} for at in range(20)}
    empty_file.load_run({**right, "t0": {"good": 1.0, "poor": 2.0}}, "nearly right")
    empty_file.load_run({"t0": right["t0"]}, "nearly wrong")
    rows = empty_file.rows("""
        select ends.measure, run, low, high, cast(split_part(range, ' ', 1) as double) from mean_intervals() as ends
        join measures on measures.measure = regexp_extract(ends.measure, '^[^(@]+') where low is not null
    """)
    assert all(low >= 0 or least < 0 for _, _, low, _, least in rows)
    found = {run: ends for measure, run, *ends, _ in rows if measure == "RR"}
    reach = scipy.stats.t.ppf(0.975, 19) * 0.5 / 20  # of 19 values of 1 and one of 0.5
    assert 0.975 + reach > 1
    assert found["nearly right"] == pytest.approx([0.975 - reach, 1], abs=1e-12)
    assert found["nearly wrong"] == pytest.approx([0, 0.05 + 2 * reach], abs=1e-12)
    empty_file.close()
    command("report", "-o", "report.md", "-m", "RR", "--db", empty_file.path)
    assert "95%, cut at the ends of the measure" in (tmp_path / "report.md").read_text()


# Statements that take the run from its rows


@pytest.fixture(scope="module")
def e_values(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with E_QRELS and E_VALUES."""
    folder = tmp_path_factory.mktemp("e-values")
    with evalsql.open(new_file(folder)) as warehouse:
        warehouse.load_qrels(write(folder / "q.txt", E_QRELS))
        warehouse.load_runs(write(folder / "r.run", E_VALUES))
        return Path(warehouse.path)


LOSING = {
    "delete from runs": "1 row of evaluations without their run, 2 rows of retrieved without their run, ",
    "delete from qrels": "2 rows of assessments without their judgments, 1 row of evaluations without",
    "begin; update runs set run_id = 9; commit": "2 rows of retrieved without their run, ",
    "delete from runs; select 1": "2 rows of retrieved",
    "explain analyze delete from runs": "2 rows of retrieved",
    "delete from evaluations": "2 rows of judged_ranks without their evaluation",
    "delete from topics": "2 rows of assessments without their topic, ",
}
_REST = "delete from judged_ranks"
TOGETHER = f"delete from runs; delete from retrieved; delete from run_topics; truncate evaluations; {_REST}"
KEEPING = [
    "update runs set run = 'another'",
    "begin; delete from runs; rollback",
    f"begin; delete from runs; delete from retrieved; delete from run_topics; delete from evaluations; {_REST}; commit",
]


@pytest.mark.long
@pytest.mark.parametrize("way", ["sql", pytest.param("shell", marks=pytest.mark.long)])
def test_rows_keep_their_run_and_judgments(command: Command, tmp_path: Path, e_values: Path, way: str) -> None:
    path = tmp_path / "evalsql.duckdb"

    def run(statements: str) -> Outcome:
        return command("sql", "--write", statements) if way == "sql" else command("shell", "--write", stdin=statements)

    new_file(like=e_values).rename(path)
    # The shell takes statement by statement, and ``sql`` all that it is given as one transaction.
    refused = LOSING if way == "sql" else {**LOSING, TOGETHER: "2 rows of retrieved"}
    for statements, lost in refused.items():
        found = run(statements)
        assert (found.returncode, lost in found.stderr, "evalsql drop runs" in found.stderr) == (2, True, True)
    held = "select (select count(*) from runs), (select count(*) from qrels), (select count(*) from retrieved)"
    assert command("sql", held, "--format", "csv").stdout.splitlines()[1] == "1,1,2"
    for statements in KEEPING if way == "shell" else (*KEEPING, TOGETHER):
        new_file(like=e_values).replace(path)
        found = run(statements)
        assert found.returncode == 0, found.stderr


@pytest.mark.long
def test_rows_keep_their_run_whatever_takes_it(command: Command, tmp_path: Path, e_values: Path) -> None:
    """DuckDB 1.5 has no WITH that changes rows."""
    new_file(like=e_values).rename(tmp_path / "evalsql.duckdb")
    for at, (cell,) in enumerate(rows_of(Path(__file__).with_name("losing.tsv"))):
        statements = content(cell).decode()
        for option in (["--write"], *([[]] if at % 5 == 0 else [])):
            assert command("sql", *option, statements).returncode == 2, statements
    held = command("sql", "select count(*), max(run_id) from runs", "--format", "csv")
    assert held.stdout.splitlines()[1] == "1,1"


@pytest.mark.long
def test_rows_of_a_file_have_their_run_too(command: Command, tmp_path: Path) -> None:
    command("load", "qrels", write(tmp_path / "q.txt", E_QRELS))
    write(tmp_path / "rows.csv", "9,1,2\n")
    refused = command("sql", "--external", "--write", f"copy run_topics from '{tmp_path / 'rows.csv'}'")
    assert_refused(refused, "1 row of run_topics without their run")
    written = command("sql", "--external", "--write", f"copy qrels to '{tmp_path / 'qrels.csv'}'")
    assert (written.returncode, (tmp_path / "qrels.csv").exists()) == (0, True)
    assert command("sql", "select count(*) as rows from run_topics", "--format", "csv").stdout == "rows\n0\n"


def test_what_the_command_line_shows_by_default_is_in_scores_and_summary(sample: Warehouse) -> None:
    names = [measure.name for measure in parse_measures(DEFAULT_MEASURES, sample.catalog)]
    rows = sample.evaluate(names).fetchall()
    board = {(run, name): value for _, run, *values in rows for name, value in zip(names, values, strict=True)}
    found = {(run, name): value for run, name, value in sample.rows("select run, measure, value from summary")}
    assert len(board) == 8 * len(names)
    assert {key: found.get(key) for key in board} == pytest.approx(board, abs=1e-12)
