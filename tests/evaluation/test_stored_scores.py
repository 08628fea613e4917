"""``evalsql load scores``: figures of runs whose rankings are elsewhere stand beside those computed here."""

import json
import re
import shlex
import warnings
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest

import evalsql
from evalsql import InputError, InputWarning, UsageError, Warehouse
from evalsql.evaluation.notices import audits, findings
from evalsql.warehouse.writer import Writer
from tests.conftest import SAMPLE, Command, assert_refused, csv_rows, load_sample, new_file, new_warehouse, open_held
from tests.evaluation.stored_scores import DIGEST, KEPT, MEASURES, STORED, computed_scores, scores_of, write_parquet
from tests.long_cases import few_of, one_in, refusals

NEEDS_RANKINGS = "needs rankings, and none are here of dense"


@cache
def held(kind: str) -> Path:
    """A file held open: with rankings of some runs and scores of others, or all rankings, or scores alone."""
    path = new_file()
    with evalsql.open(path) as warehouse:
        if kind == "alone":
            warehouse.load_qrels(SAMPLE / "qrels.txt", "sample")
        else:
            load_sample(warehouse, *KEPT, *(STORED if kind == "computed" else ()))
        if kind == "lacking":
            warehouse.load_scores(scores_of(path.with_name("lacking.parquet"), "dense", measures=["AP"]))
        elif kind != "computed":
            assert warehouse.load_scores(scores_of(path.with_name("scores.parquet"))) == sorted(STORED)
    open_held(path)
    return path


@pytest.fixture
def changed(tmp_path: Path) -> Iterator[Warehouse]:
    """Rankings of some runs and scores of others, to be changed; afterwards the warehouse is still sound."""
    with evalsql.open(new_file(tmp_path, like=held("stored"))) as warehouse:
        yield warehouse
        checks = [each for each in audits(warehouse.catalog) if "audited_values" not in each.header.inputs]
        assert findings(warehouse.evaluation, checks) == []


def agree(found: Sequence[Sequence[object]], expected: Sequence[Sequence[object]]) -> None:
    """The same rows, but for the last bits of numbers, which the order of summing moves."""
    assert len(found) == len(expected) > 0
    for row, other in zip(found, expected, strict=True):
        assert list(row) == [
            pytest.approx(each, abs=1e-12, rel=0) if isinstance(each, float) else each for each in other
        ]


# What is shown


@pytest.mark.long
def test_stored_and_computed_figures_are_the_same() -> None:
    with evalsql.open(held("stored"), read_only=True) as one, evalsql.open(held("computed"), read_only=True) as other:
        for measures, per_topic, runs in (
            *((MEASURES, False, ()), (MEASURES, True, ["bm25", "tfidf"])),
            *((MEASURES[:2], False, "random"), (MEASURES[:2], True, "dense")),
        ):
            agree(*(each.evaluate(measures, per_topic=per_topic, runs=runs).fetchall() for each in (one, other)))
        agree(*(each.compare(None, measures=MEASURES[:3]).fetchall() for each in (one, other)))
        for relation, order in (("scores", "qrels, run, measure, topic"), ("summary", "qrels, run, measure")):
            query = f"from {relation} where measure in ('AP', 'RR', 'TAP@5') order by {order}"
            agree(one.rows(query), other.rows(query))


@pytest.mark.long
def test_all_audits_find_stored_scores_sound() -> None:
    with evalsql.open(held("stored"), read_only=True) as warehouse:
        assert findings(warehouse.evaluation, audits(warehouse.catalog)) == []


@pytest.mark.long
def test_commands_show_both_and_tell_which_are_stored(command: Command) -> None:
    for words in (("leaderboard", "-m", "AP,TAP@5"), ("topics", "dense", "-m", "AP"), ("compare", "bm25", "-m", "AP")):
        answers = [command(*words, "--db", held(kind), "--format", "json") for kind in ("stored", "computed")]
        assert [answer.returncode for answer in answers] == [0, 0]
        agree(*([list(row.values()) for row in json.loads(answer.stdout)] for answer in answers))
        assert "stored scores, computed elsewhere: " in answers[0].stderr
        assert "other SQL" not in answers[0].stderr
        assert "stored" not in answers[1].stderr
    rows = csv_rows(command("ls", "--long", "--db", held("stored"), "--format", "csv").stdout)
    listed = {row["name"]: row for row in rows}
    assert listed.keys() == {"sample", *KEPT, *STORED}
    assert (listed["dense"]["num_topics"], listed["dense"]["num_rows"]) == ("40", "")
    assert listed["dense"]["file"].endswith("scores.parquet")


@pytest.mark.long
def test_gate_holds_stored_runs_to_rules_of_figures(command: Command) -> None:
    rules = ("AP >= 0.7", "AP drop <= 0.01", "AP not worse at p < 0.05")
    words = ("gate", "dense", "--baseline", "hybrid", *(word for rule in rules for word in ("--rule", rule)))
    found, expected = (command(*words, "--db", held(kind), "--format", "json") for kind in ("stored", "computed"))
    assert (found.returncode, expected.returncode) == (1, 1)
    by_rule = {row["rule"]: list(row.values()) for row in json.loads(expected.stdout)}
    agree([list(row.values()) for row in json.loads(found.stdout)], [by_rule[rule] for rule in rules])
    assert "only scores are stored: whether documents are retrieved" in found.stderr
    asked = command("gate", "dense", "--rule", "topic T07 in first 10", "--db", held("stored"))
    assert (asked.returncode, NEEDS_RANKINGS in asked.stderr) == (1, True)


@pytest.mark.long
@pytest.mark.parametrize(
    ("kind", "words"),
    few_of(
        [
            ("alone", ("-o", "a.md")),
            ("stored", ("-o", "a.html")),
            ("alone", ("-o", "a.html")),
            ("stored", ("dense", "hybrid", "-o", "only.md")),
            *(("stored", ("-o", f"a.{form}")) for form in ("tex", "json")),
        ]
    ),
)
def test_reports_have_stored_runs(command: Command, tmp_path: Path, kind: str, words: Sequence[str]) -> None:
    answer = command("report", "--db", held(kind), "-m", "AP,RR", *words)
    assert answer.returncode == 0, answer.stderr
    text = (tmp_path / words[-1]).read_text()
    assert "hybrid" in text
    assert ".656" in text  # AP of dense, as the guide on history prints it


@pytest.mark.parametrize(
    ("kind", "words"),
    one_in(
        3,
        [
            ("stored", "curve pr dense"),
            ("stored", "ties dense hybrid -m AP"),
            ("stored", "explain dense T01 -m AP"),
            ("stored", "explain bm25 T01 -m AP --other dense"),
            ("stored", "fuse rrf bm25 dense --name fused"),
            ("alone", "fuse rrf dense hybrid --name fused"),
            ("alone", "diff dense hybrid -m AP --documents"),
            ("alone", "export runs -o exported"),
            ("alone", "pool"),
            ("alone", "pool --contributions"),
        ],
    ),
)
def test_what_needs_rankings_says_so_in_one_sentence(command: Command, kind: str, words: str) -> None:
    file = new_file(like=held(kind)) if words.startswith(("export", "fuse")) else held(kind)
    answer = command(*words.split(), "--db", file)
    assert_refused(answer, NEEDS_RANKINGS, "evalsql load runs FILE --replace brings the rankings")
    assert len(answer.stderr.strip().splitlines()) == 1


def test_runs_with_rankings_are_shown_and_others_named(command: Command, tmp_path: Path) -> None:
    for words in ("curve pr --format csv", "export runs -o exported/", "pool --depth 1"):
        file = new_file(like=held("stored")) if "export" in words else held("stored")  # an export locks the settings
        answer = command(*words.split(), "--db", file)
        assert answer.returncode == 0
        assert f"{NEEDS_RANKINGS}, hybrid, tfidf; left out" in answer.stderr
        if "curve" in words:
            assert {row["run"] for row in csv_rows(answer.stdout)} == {*KEPT}
    assert {path.stem for path in (tmp_path / "exported").iterdir()} == {*KEPT}
    assert answer.stdout.count("\n") > 10


@pytest.mark.long
def test_measures_that_are_not_stored_are_named(command: Command) -> None:
    db = ("--db", held("stored"))
    answer = command("leaderboard", "-m", "AP,Bpref", *db, "--format", "csv")
    assert {row["run"] for row in csv_rows(answer.stdout) if row["Bpref"] == ""} == {*STORED}
    assert "Bpref of dense, hybrid, tfidf" in answer.stderr
    several = ["Rprec", "Bpref", "P@3", "P@5", "P@2", "P@4"]
    told = command("leaderboard", "-m", ",".join(several), *db).stderr
    assert re.findall(r"(\S+) of dense, hybrid, tfidf", told) == several  # in the order in which they were asked for
    assert_refused(command("leaderboard", "dense", "-m", "Bpref", *db), "not among the stored scores")


@pytest.mark.long
def test_figures_of_other_sql_are_marked(tmp_path: Path, command: Command) -> None:
    path = new_file(tmp_path)
    with evalsql.open(path) as warehouse:
        load_sample(warehouse, *KEPT)
        for run, digest in (("dense", "0" * 64), ("hybrid", ""), ("tfidf", DIGEST)):
            warehouse.load_scores(scores_of(tmp_path / f"{run}.parquet", run, digest=digest))
    told = command("leaderboard", "-m", "AP", "--db", path).stderr
    assert "computed by other SQL than this version's, so figures may differ: dense (evalsql 1.0)\n" in told
    assert "by which SQL they were computed is not known: hybrid\n" in told


# Where a run lacks one of the measures


@pytest.mark.long
def test_leaderboard_and_comparisons_leave_the_place_empty(command: Command) -> None:
    options = ("-m", "RR,AP", "--db", held("lacking"), "--format")
    rows = csv_rows(command("leaderboard", *options, "csv").stdout)
    assert [(row["run"], row["RR"] == "", row["AP"] == "") for row in rows] == [
        *((run, False, False) for run in KEPT),
        ("dense", True, False),
    ]
    found = csv_rows(command("compare", "bm25", *options, "csv").stdout)
    pairs = sorted((row["measure"], row["run"]) for row in found)
    assert pairs == [("AP", "dense"), ("AP", "random"), ("RR", "random")]
    printed = command("compare", "bm25", *options, "md").stdout.splitlines()
    runs = [line.split(" | ") for line in printed if line.startswith("| ")][1:]
    assert [cells[0] for cells in runs] == ["| ---", "| bm25", "| random", "| dense"]
    assert runs[-1][1] == ""
    assert f"{float(rows[-1]['AP']):.4f}" in runs[-1][2]
    assert command("compare", "dense", *options, "latex").stdout.count(r"dense &  & \textbf{") == 1


@pytest.mark.parametrize("words", ["report -o report.md", "report -o report.html", "site -o site"])
@pytest.mark.long
def test_reports_leave_out_the_run(command: Command, tmp_path: Path, words: str) -> None:
    file = new_file(like=held("lacking")) if "site" in words else held("lacking")
    outcome = command(*words.split(), "-m", "RR,AP", "--db", file)
    assert outcome.returncode == 0, outcome.stderr
    assert "to compute it: RR of dense; left out, since a report has every measure of every run" in outcome.stderr
    assert (written := [path for path in tmp_path.rglob("*.*") if path.suffix in (".html", ".md")])
    assert not any("dense" in path.read_text() or "dense" in path.name for path in written)


@pytest.mark.long
def test_a_report_of_such_runs_alone_is_refused(command: Command, tmp_path: Path) -> None:
    outcome = command("report", "dense", "-m", "RR,AP", "-o", "report.html", "--db", held("lacking"))
    assert_refused(outcome, "RR of dense; a report has every measure of every run: name other measures")
    assert list(tmp_path.iterdir()) == []


# What is changed


def test_dropped_runs_and_judgments_take_their_scores_along(changed: Warehouse) -> None:
    with pytest.raises(UsageError, match="360 rows of stored_scores without their run"):
        Writer(changed.database, external=False).run("delete from runs where run = 'dense'")
    changed.drop_runs("dense")
    assert changed.rows("select distinct run from stored_values order by run") == [("hybrid",), ("tfidf",)]
    with pytest.warns(InputWarning, match="stored scores, assignments or citations of 2 runs went with the judgments"):
        changed.drop_qrels("sample")
    for table in ("stored_scores", "qrels"):
        assert changed.rows(f"select * from {table}") == []
    assert changed.rows("select run from runs order by run") == [(run,) for run in KEPT]


def test_rankings_take_the_place_of_scores_and_not_the_other_way(changed: Warehouse) -> None:
    file = SAMPLE / "runs" / "dense.run"
    with pytest.raises(UsageError, match="already loaded: dense"):
        changed.load_runs(file)
    before = changed.evaluate("AP", runs="dense").fetchall()
    changed.load_runs(file, replace=True)
    agree(changed.evaluate("AP", runs="dense").fetchall(), before)
    assert changed.rows("select * from stored_values where run = 'dense'") == []
    with pytest.raises(
        UsageError, match="the rankings or answers of dense are here, and figures are computed from them"
    ):
        changed.load_scores(computed_scores(), replace=True)


def test_more_measures_and_judgments_come_beside_those_held(changed: Warehouse, tmp_path: Path) -> None:
    more = scores_of(tmp_path / "more.parquet", "dense", measures=["Bpref"])
    changed.load_scores(more)
    assert len(changed.evaluate("AP,Bpref", runs="dense").fetchall()) == 1
    with pytest.raises(UsageError, match="already loaded: scores of dense; --replace"):
        changed.load_scores(more)
    changed.load_scores(more, replace=True)
    assert changed.rows("select count(*) from stored_values where measure = 'Bpref'") == [(40,)]
    with pytest.warns(InputWarning, match="3 runs left out: to evaluate takes rankings"):
        changed.load_qrels(SAMPLE / "qrels.txt", "again", runs="*")
    pairs = changed.rows("select distinct qrels, run from coverage order by all")
    assert pairs == [("again", run) for run in KEPT] + [("sample", run) for run in sorted([*KEPT, *STORED])]


GOOD = "select 'q' as qrels, 'r' as run, unnest(['1', '2']) as topic, 'AP' as measure, 0.5 as value"


@pytest.fixture
def judged(empty: Warehouse) -> Warehouse:
    empty.load_qrels({"1": {"a": 1}, "2": {"a": 1}}, "q")
    return empty


@pytest.mark.parametrize(("select", "reason"), one_in(3, refusals(__file__, "scores")))
def test_scores_that_do_not_fit_are_refused(judged: Warehouse, tmp_path: Path, select: str, reason: str) -> None:
    with pytest.raises(InputError, match=f"bad.parquet: {reason}"):
        judged.load_scores(write_parquet(tmp_path / "bad.parquet", select.format(good=GOOD)))
    assert judged.rows("select * from runs") == []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert judged.load_scores(write_parquet(tmp_path / "good.parquet", GOOD)) == ["r"]


def test_unknown_measures_and_files_are_refused(judged: Warehouse, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="Nothing"):
        judged.load_scores(write_parquet(tmp_path / "odd", GOOD.replace("AP", "Nothing")))
    (tmp_path / "text.parquet").write_text("no Parquet")
    (tmp_path / "none").mkdir()
    (tmp_path / "out" / "scores" / "batch=1").mkdir(parents=True)
    write_parquet(tmp_path / "out" / "scores" / "batch=1" / "part.parquet", GOOD)
    for name, reason in (
        ("text.parquet", "cannot be read as scores: it is no Parquet file, and scores are\nnothing"),
        ("gone", "no such file"),
        ("none", "holds no results"),
        ("out", "the job that writes this folder has not ended"),
    ):
        with pytest.raises(InputError, match=reason):
            judged.load_scores(tmp_path / name)


def test_names_are_made_canonical_and_judgments_named(judged: Warehouse, tmp_path: Path) -> None:
    file = write_parquet(tmp_path / "s.parquet", f"select * exclude (qrels) replace ('map' as measure) from ({GOOD})")
    judged.load_scores(file, qrels="q", meta={"batch": "7"})
    assert judged.evaluate("AP").fetchall() == [("q", "r", 0.5)]
    assert judged.rows("select meta['batch'] from runs") == [("7",)]


# Lakes

LAKE = [
    *("leaderboard -m nDCG@10,AP --format csv", "ls --format csv"),
    "gate dense --baseline bm25 --rule 'AP drop <= 0.1' --format json",
]
LONG_LAKE = ["report -m AP -o report.md", "compare bm25 dense tfidf -m AP --format csv"]


@pytest.mark.parametrize("asked", few_of([LAKE, LONG_LAKE], 0))
def test_a_lake_is_shown_as_if_it_were_loaded(command: Command, tmp_path: Path, asked: Sequence[str]) -> None:
    """Both ways print the same, and the warehouse stays as it was."""

    def printed(words: str, *lake: str) -> tuple[int, str]:
        answer, report = command(*shlex.split(words), *lake), tmp_path / "report.md"
        text = answer.stdout + (report.read_text() if report.exists() else "")
        report.unlink(missing_ok=True)
        assert "dense" in text + answer.stderr
        return answer.returncode, re.sub(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d[.\d]*)?", "", text)

    with evalsql.open(new_file(tmp_path).rename(tmp_path / "evalsql.duckdb")) as warehouse:
        load_sample(warehouse, *KEPT)
    (tmp_path / "lake").mkdir()
    scores_of(tmp_path / "lake" / "scores.parquet")
    before = (tmp_path / "evalsql.duckdb").read_bytes()
    with_lake = [printed(words, "--lake", "lake") for words in asked]
    assert (tmp_path / "evalsql.duckdb").read_bytes() == before
    assert command("load", "scores", "lake").returncode == 0
    assert [printed(words) for words in asked] == with_lake
    assert {code for code, _ in with_lake} <= {0, 1}


@pytest.mark.long
def test_a_lake_that_is_wrong_is_refused_by_its_own_name(command: Command, tmp_path: Path) -> None:
    scores_of(tmp_path / "lake.parquet", "dense")
    faults = {"nothing": ": no such file or folder", "lake.parquet": "the rankings or answers of dense are here"}
    for lake, complaint in faults.items():
        assert_refused(command("leaderboard", "--lake", lake, "--db", held("computed")), complaint)


def test_names_of_folders_are_columns_below_the_folder_that_is_named_alone(tmp_path: Path) -> None:
    for folder in ("value=0.99", *(f"parts/run={run}" for run in STORED)):
        (tmp_path / folder).mkdir(parents=True)
    for run in STORED:
        rows = f"select * exclude run from '{computed_scores()}' where run = '{run}' and measure = 'AP'"
        write_parquet(tmp_path / "parts" / f"run={run}" / "x.parquet", rows)
    file, found = scores_of(tmp_path / "value=0.99" / "x.parquet", measures=["AP"]), []
    for source in (tmp_path / "parts", file, file.parent):
        with new_warehouse() as warehouse:
            warehouse.load_qrels(SAMPLE / "qrels.txt", "sample")
            warehouse.load_scores(source)
            found.append(warehouse.rows("select run, topic, value from stored_values order by all"))
    assert found[0] == found[1] == found[2] != []


def test_a_run_with_a_name_like_sql_is_refused_as_any_other(tmp_path: Path) -> None:
    name = "topic in (x)"
    renamed = (
        f"select * replace ('{name}' as run) from '{scores_of(tmp_path / 'dense.parquet', 'dense', measures=['AP'])}'"
    )
    with evalsql.open(new_file(tmp_path)) as warehouse:
        warehouse.load_qrels(SAMPLE / "qrels.txt", "sample")
        assert warehouse.load_scores(write_parquet(tmp_path / "renamed.parquet", renamed)) == [name]
        with pytest.raises(UsageError, match=r"not among the stored scores, .*: Bpref of topic in \(x\)"):
            warehouse.evaluate("Bpref", runs=name)
