"""``evalsql load scores``: figures of runs whose rankings are elsewhere stand beside those computed here."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path

import duckdb
import pytest

import evalsql
from evalsql import InputError, InputWarning, UsageError, Warehouse
from evalsql.catalog.relations import read_catalog
from evalsql.evaluation.audits import audits, findings
from evalsql.warehouse.writer import Writer
from tests.conftest import SAMPLE, Command, csv_rows, new_file
from tests.long_cases import few_of

MEASURES = ("nDCG@10", "AP", "P@10", "R@100", "RR", "Judged@10", "TAP@5", "NumRel", "AP(rel=2)@20")
STORED = ("dense", "hybrid", "tfidf")
KEPT = ("bm25", "random")
DIGEST = read_catalog().digest


def scores_of(
    path: Path, runs: Sequence[str] = STORED, *, digest: str = DIGEST, measures: Sequence[str] = MEASURES
) -> Path:
    """A Parquet file of the sample's scores, computed in a warehouse of their own."""
    with evalsql.open(":memory:") as warehouse:
        warehouse.load_qrels(SAMPLE / "qrels.txt", "sample")
        warehouse.load_runs([SAMPLE / "runs" / f"{run}.run" for run in runs])
        warehouse.execute(f"create table found as {warehouse.evaluation.scores_query(measures, per_topic=True)}")
        warehouse.execute(
            f"copy (select *, '1.0' as evalsql_version, '{digest}' as sql_digest from found) "
            f"to '{path}' (format parquet)"
        )
    return path


def holding(path: Path, runs: Sequence[str]) -> Path:
    with evalsql.open(path) as warehouse:
        warehouse.load_qrels(SAMPLE / "qrels.txt", "sample")
        warehouse.load_runs([SAMPLE / "runs" / f"{run}.run" for run in runs])
    return path


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the two warehouses and the scores, for each test to copy from."""
    folder = tmp_path_factory.mktemp("made")
    with evalsql.open(holding(new_file(folder).rename(folder / "stored.duckdb"), KEPT)) as warehouse:
        assert warehouse.load_scores(scores_of(folder / "scores.parquet")) == sorted(STORED)
    holding(new_file(folder).rename(folder / "computed.duckdb"), [*KEPT, *STORED])
    return folder


@pytest.fixture
def stored(made: Path) -> Path:
    """A warehouse with the rankings of some runs and the scores of others, to be read."""
    return made / "stored.duckdb"


@pytest.fixture
def computed(made: Path) -> Path:
    """A warehouse with the rankings of all of them, to be read."""
    return made / "computed.duckdb"


@pytest.fixture
def changed(made: Path, tmp_path: Path) -> Iterator[Warehouse]:
    """The first one open, to be changed; afterwards it is still sound."""
    with evalsql.open(new_file(tmp_path, like=made / "stored.duckdb")) as warehouse:
        yield warehouse
        checks = [each for each in audits(warehouse.catalog) if "audited_values" not in each.header.inputs]
        assert findings(warehouse.evaluation, checks) == []


def same(found: object, expected: object) -> bool:
    numbers = isinstance(found, float) and isinstance(expected, float)
    return found == pytest.approx(expected, abs=1e-12, rel=0) if numbers else found == expected


def agree(found: list[tuple[object, ...]], expected: list[tuple[object, ...]]) -> None:
    assert len(found) == len(expected) > 0
    for row, other in zip(found, expected, strict=True):
        assert all(map(same, row, other)), (row, other)


def test_stored_and_computed_figures_are_the_same(stored: Path, computed: Path) -> None:
    with evalsql.open(stored, read_only=True) as one, evalsql.open(computed, read_only=True) as other:
        for measures, by_topic, runs in product(
            (MEASURES, MEASURES[:2]), (False, True), ((), "dense", ["bm25", "tfidf"], "random")
        ):
            agree(*(each.evaluate(measures, per_topic=by_topic, runs=runs).fetchall() for each in (one, other)))
        assert findings(one.evaluation, audits(one.catalog)) == []


def test_statistics_scores_and_summary_have_them_too(stored: Path, computed: Path) -> None:
    with evalsql.open(stored, read_only=True) as one, evalsql.open(computed, read_only=True) as other:
        for baseline in ("bm25", "hybrid", None):
            agree(*(each.compare(baseline, measures=MEASURES[:3]).fetchall() for each in (one, other)))
        for relation in ("scores", "summary"):
            query = f"from {relation} where measure in ('AP', 'RR', 'TAP@5') order by qrels, run, measure"
            query += ", topic" if relation == "scores" else ""
            agree(one.rows(query), other.rows(query))


def test_commands_show_both_and_tell_which_are_stored(command: Command, stored: Path, computed: Path) -> None:
    for words in (("leaderboard", "-m", "AP,TAP@5"), ("topics", "dense", "-m", "AP"), ("compare", "bm25", "-m", "AP")):
        answers = [command(*words, "--db", path, "--format", "csv") for path in (stored, computed)]
        assert [answer.returncode for answer in answers] == [0, 0]
        found, expected = (csv_rows(answer.stdout) for answer in answers)
        assert found == expected != []
        assert "stored scores, computed elsewhere: " in answers[0].stderr
        assert "other SQL" not in answers[0].stderr
        assert "stored" not in answers[1].stderr
    listed = {row["name"]: row for row in csv_rows(command("ls", "--long", "--db", stored, "--format", "csv").stdout)}
    assert listed.keys() == {"sample", *KEPT, *STORED}
    assert (listed["dense"]["num_topics"], listed["dense"]["num_rows"]) == ("40", "")
    assert listed["dense"]["file"].endswith("scores.parquet")


def test_gate_holds_stored_runs_to_rules_of_figures(command: Command, stored: Path, computed: Path) -> None:
    rules = ("AP >= 0.7", "AP drop <= 0.01", "AP not worse at p < 0.05")
    words = [word for rule in rules for word in ("--rule", rule)]
    found, expected = (
        command("gate", "dense", "--baseline", "hybrid", *words, "--db", path, "--format", "csv")
        for path in (stored, computed)
    )
    assert (found.returncode, expected.returncode) == (1, 1)
    by_rule = {row["rule"]: row for row in csv_rows(expected.stdout)}
    for row in csv_rows(found.stdout):
        assert row == by_rule[row["rule"]]
    assert [row["rule"] for row in csv_rows(found.stdout)] == list(rules)
    assert "only scores are stored: whether documents are retrieved" in found.stderr
    asked = command("gate", "dense", "--rule", "topic T07 in first 10", "--db", stored)
    assert asked.returncode == 1
    assert "needs rankings, and only scores are stored of dense" in asked.stderr


@pytest.mark.parametrize(
    "words",
    few_of([("-o", "a.html"), ("dense", "hybrid", "-o", "only.md"), ("-o", "a.tex"), ("-o", "a.json")], one_value=True),
)
def test_reports_have_stored_runs(command: Command, stored: Path, tmp_path: Path, words: Sequence[str]) -> None:
    answer = command("report", "--db", stored, "-m", "AP,RR", *words)
    assert answer.returncode == 0, answer.stderr
    assert "hybrid" in (tmp_path / words[-1]).read_text()


@pytest.mark.parametrize(
    "words",
    [
        ("curve", "pr", "dense"),
        ("ties", "dense", "hybrid", "-m", "AP"),
        ("explain", "dense", "T01", "-m", "AP"),
        ("explain", "bm25", "T01", "-m", "AP", "--other", "dense"),
    ],
    ids=lambda words: words[0],
)
def test_what_needs_rankings_says_so_in_one_sentence(command: Command, stored: Path, words: Sequence[str]) -> None:
    answer = command(*words, "--db", stored)
    assert (answer.returncode, answer.stdout) == (2, "")
    assert "needs rankings, and only scores are stored of dense" in answer.stderr
    assert len(answer.stderr.strip().splitlines()) == 1


def test_runs_with_rankings_are_shown_and_others_named(command: Command, stored: Path) -> None:
    answer = command("curve", "pr", "--db", stored, "--format", "csv")
    assert answer.returncode == 0
    assert {row["run"] for row in csv_rows(answer.stdout)} == {*KEPT}
    assert "only scores are stored of dense, hybrid, tfidf; left out" in answer.stderr


def test_measures_that_are_not_stored_are_named(command: Command, stored: Path) -> None:
    answer = command("leaderboard", "-m", "AP,Bpref", "--db", stored, "--format", "csv")
    values = {row["run"]: row["Bpref"] for row in csv_rows(answer.stdout)}
    assert {run for run, value in values.items() if value == ""} == {*STORED}
    assert "Bpref of dense, hybrid, tfidf" in answer.stderr
    several = ["Rprec", "Bpref", "P@3", "P@5", "P@2", "P@4"]
    told = command("leaderboard", "-m", ",".join(several), "--db", stored).stderr
    assert re.findall(r"(\S+) of dense, hybrid, tfidf", told) == several  # in the order in which they were asked for
    alone = command("leaderboard", "dense", "-m", "Bpref", "--db", stored)
    assert (alone.returncode, alone.stdout) == (2, "")
    assert "not among the stored scores" in alone.stderr


def test_figures_of_other_sql_are_marked(command: Command, tmp_path: Path) -> None:
    path = holding(new_file(tmp_path), KEPT)
    for nth, (run, digest) in enumerate((("dense", "0" * 64), ("hybrid", ""), ("tfidf", DIGEST))):
        file = scores_of(tmp_path / f"{nth}.parquet", [run], digest=digest)
        assert command("load", "scores", file, "--db", path).returncode == 0
    told = command("leaderboard", "-m", "AP", "--db", path).stderr
    assert "computed by other SQL than this version's, so figures may differ: dense (evalsql 1.0)\n" in told
    assert "by which SQL they were computed is not known: hybrid\n" in told


def test_dropped_runs_and_judgments_take_their_scores_along(changed: Warehouse) -> None:
    changed.drop_runs("dense")
    assert changed.rows("select distinct run from stored_values order by run") == [("hybrid",), ("tfidf",)]
    with pytest.warns(InputWarning, match="the stored scores of 2 runs went with the judgments"):
        changed.drop_qrels("sample")
    for table in ("stored_scores", "qrels"):
        assert changed.rows(f"select * from {table}") == []
    assert changed.rows("select run from runs order by run") == [(run,) for run in KEPT]


def test_scores_that_belong_together_stay_together(changed: Warehouse) -> None:
    writer = Writer(changed.database, external=False)
    with pytest.raises(UsageError, match="360 rows of stored_scores without their run"):
        writer.run("delete from runs where run = 'dense'")


def test_rankings_take_the_place_of_scores_and_not_the_other_way(changed: Warehouse, made: Path) -> None:
    file = SAMPLE / "runs" / "dense.run"
    with pytest.raises(UsageError, match="already loaded: dense"):
        changed.load_runs(file)
    before = changed.evaluate("AP", runs="dense").fetchall()
    changed.load_runs(file, replace=True)
    agree(changed.evaluate("AP", runs="dense").fetchall(), before)
    assert changed.rows("select * from stored_values where run = 'dense'") == []
    with pytest.raises(UsageError, match="the rankings of dense are here, and figures are computed from them"):
        changed.load_scores(made / "scores.parquet", replace=True)


def test_more_measures_come_beside_those_held(changed: Warehouse, tmp_path: Path) -> None:
    more = scores_of(tmp_path / "more.parquet", ["dense"], measures=["Bpref"])
    changed.load_scores(more)
    assert len(changed.evaluate("AP,Bpref", runs="dense").fetchall()) == 1
    with pytest.raises(UsageError, match="already loaded: scores of dense; --replace"):
        changed.load_scores(more)
    changed.load_scores(more, replace=True)
    assert changed.rows("select count(*) from stored_values where measure = 'Bpref'") == [(40,)]


def test_other_judgments_do_not_evaluate_stored_runs(changed: Warehouse) -> None:
    with pytest.warns(InputWarning, match="3 runs left out: only scores are stored"):
        changed.load_qrels(SAMPLE / "qrels.txt", "again", runs="*")
    pairs = changed.rows("select distinct qrels, run from coverage order by all")
    assert pairs == [("again", run) for run in KEPT] + [("sample", run) for run in sorted([*KEPT, *STORED])]


def write_parquet(path: Path, select: str) -> Path:
    with duckdb.connect() as connection:
        connection.execute(f"copy ({select}) to '{path}' (format parquet)")
    return path


GOOD = "select 'q' as qrels, 'r' as run, unnest(['1', '2']) as topic, 'AP' as measure, 0.5 as value"


@pytest.mark.parametrize(
    ("select", "reason"),
    [
        (
            "select 'r' as run, 1 as value",
            "has no column topic, measure, qrels; scores are qrels, run, topic, measure, value",
        ),
        (f"select * exclude (qrels) from ({GOOD})", "has no column qrels; .*--qrels NAME says which judgments"),
        (f"{GOOD} limit 1", "run r has values of AP for 1 of the 2 topics of judgments q"),
        (f"{GOOD} union all select 'q', 'r', '3', 'AP', 0.5", "run r has a value of AP for topic 3, which judgments q"),
        (f"{GOOD} union all select 'q', 'r', '2', 'AP', 0.5", "run r has several values of AP for one topic"),
        (
            f"select * replace ('nan'::double as value) from ({GOOD})",
            "run r, topic 1: the value of AP is no finite number",
        ),
        (f"select * replace (1.5 as value) from ({GOOD})", r"run r, topic 1: AP is 1\.5, its range is 0 1"),
        (
            f"select * replace (-0.25 as value, 'map_cut_10' as measure) from ({GOOD})",
            r"run r, topic 1: AP@10 is -0\.25, its range is 0 1",
        ),
        (f"select * replace ('other' as qrels) from ({GOOD})", "judgments other are not here; evalsql load qrels FILE"),
        (f"select * replace ('much' as value) from ({GOOD})", "cannot be read as scores"),
        (f"{GOOD} limit 0", "holds no rows"),
    ],
)
def test_scores_that_do_not_fit_are_refused(empty: Warehouse, tmp_path: Path, select: str, reason: str) -> None:
    empty.load_qrels({"1": {"a": 1}, "2": {"a": 1}}, "q")
    file = write_parquet(tmp_path / "bad.parquet", select)
    with pytest.raises(InputError, match=f"bad.parquet: {reason}"):
        empty.load_scores(file)
    assert empty.rows("select * from runs") == []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert empty.load_scores(write_parquet(tmp_path / "good.parquet", GOOD)) == ["r"]


def test_unknown_measures_and_files_are_refused(empty: Warehouse, tmp_path: Path) -> None:
    empty.load_qrels({"1": {"a": 1}, "2": {"a": 1}}, "q")
    odd = write_parquet(tmp_path / "odd.parquet", f"select * replace ('Nothing' as measure) from ({GOOD})")
    with pytest.raises(UsageError, match="Nothing"):
        empty.load_scores(odd)
    (tmp_path / "text.parquet").write_text("no Parquet")
    (tmp_path / "none").mkdir()
    (tmp_path / "out" / "scores" / "batch=1").mkdir(parents=True)
    write_parquet(tmp_path / "out" / "scores" / "batch=1" / "part.parquet", GOOD)
    for name, reason in (
        ("text.parquet", "cannot be read as scores: it is no Parquet file, and scores are\nnothing"),
        ("gone", "no such file"),
        ("none", "holds no Parquet file"),
        ("out", "the job that writes this folder has not ended"),
    ):
        with pytest.raises(InputError, match=reason):
            empty.load_scores(tmp_path / name)


def test_names_are_made_canonical_and_judgments_named(empty: Warehouse, tmp_path: Path) -> None:
    empty.load_qrels({"1": {"a": 1}, "2": {"a": 1}}, "q")
    file = write_parquet(tmp_path / "s.parquet", f"select * exclude (qrels) replace ('map' as measure) from ({GOOD})")
    empty.load_scores(file, qrels="q", meta={"batch": "7"})
    assert empty.evaluate("AP").fetchall() == [("q", "r", 0.5)]
    assert empty.rows("select meta['batch'] from runs") == [("7",)]


def test_a_lake_is_shown_as_if_it_were_loaded(command: Command, tmp_path: Path) -> None:
    """Both ways print the same, and the warehouse stays as it was."""
    path = holding(tmp_path / "evalsql.duckdb", KEPT)
    (tmp_path / "lake").mkdir()
    scores_of(tmp_path / "lake" / "scores.parquet")
    before = path.read_bytes()
    asked = (
        ("leaderboard", "-m", "nDCG@10,AP", "--format", "csv"),
        ("compare", "bm25", "dense", "tfidf", "-m", "AP", "--format", "csv"),
        ("gate", "dense", "--baseline", "bm25", "--rule", "AP drop <= 0.1", "--format", "json"),
        ("ls", "--format", "csv"),
    )
    with_lake = [command(*words, "--lake", "lake") for words in asked]
    assert command("report", "-o", "lake.md", "--lake", "lake").returncode == 0
    assert path.read_bytes() == before
    assert command("load", "scores", "lake").returncode == 0
    for words, told in zip(asked, with_lake, strict=True):
        loaded = command(*words)
        assert (told.returncode, _without_times(told.stdout)) == (loaded.returncode, _without_times(loaded.stdout)), (
            words
        )
        assert "dense" in told.stdout + told.stderr
    assert command("report", "-o", "loaded.md").returncode == 0
    assert _without_times((tmp_path / "lake.md").read_text()) == _without_times((tmp_path / "loaded.md").read_text())


def test_a_lake_that_is_wrong_is_refused_by_its_own_name(command: Command, tmp_path: Path) -> None:
    holding(tmp_path / "evalsql.duckdb", (*KEPT, "dense"))
    scores_of(tmp_path / "lake.parquet")
    told = command("leaderboard", "--lake", "nothing")
    assert (told.returncode, told.stdout) == (2, "")
    assert "nothing: no such file or folder" in told.stderr
    told = command("leaderboard", "--lake", "lake.parquet")
    assert (told.returncode, told.stdout) == (2, "")
    assert "the rankings of dense are here" in told.stderr


def _without_times(text: str) -> str:
    return re.sub(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d[.\d]*)?", "", text)
