"""The audits: they find nothing on what is loaded, and what is damaged by hand they name."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path

import duckdb
import pytest

import evalsql
from evalsql import AuditError, Warehouse
from evalsql.catalog.measure_names import Measure
from evalsql.catalog.queries import relation_query
from evalsql.catalog.relations import Relation, read_catalog
from evalsql.cli import holdings
from evalsql.database.database import Database
from evalsql.evaluation.notices import audit_query, audited_runs, audits, findings
from evalsql.ingest import ranking
from tests.conftest import ROOT, Command, csv_rows, new_file, new_warehouse, write
from tests.evaluation.damage import FIRST_JUDGED, PAIR, PLACE, T05, cases
from tests.golden_cases import CASES, load_judgments, load_run
from tests.long_cases import few_of, one_in
from tests.random_collections import collection
from tests.tools.portable import outside_the_core

CATALOG = read_catalog()
AUDITS = audits(CATALOG)
FEW_CASES = tuple(
    case for case in CASES if case.name in ("groups", "nuggets", "preferences", "spans", "tap-weights", "ties")
)
GUIDE = ROOT / "evalsql" / "docs" / "checking.md"


def found_by(warehouse: Warehouse, name: str) -> list[str]:
    found = findings(warehouse.evaluation, [warehouse.catalog[name]])
    assert {audit for audit, _, _ in found} <= {name}
    assert all(num_rows >= 0 for _, _, num_rows in found)
    return [finding for _, finding, _ in found]


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory, sample_file: Path) -> Iterator[Warehouse]:
    with evalsql.open(new_file(tmp_path_factory.mktemp("audits"), sample_file)) as warehouse:
        yield warehouse


@pytest.fixture
def damaged(copied: Warehouse) -> Iterator[Warehouse]:
    """The sample, to be changed; afterwards it is as it was."""
    copied.execute("begin transaction")
    yield copied
    copied.execute("rollback")


@pytest.mark.parametrize(("name", "damage", "expected"), one_in(3, cases()))
def test_what_is_damaged_is_named(damaged: Warehouse, name: str, damage: str, expected: Sequence[str]) -> None:
    ((judgments,),) = damaged.rows("select count(*) from assessments")
    damaged.execute(damage)
    assert found_by(damaged, name) == [finding.format(judgments=judgments) for finding in expected]


def test_a_ranking_of_two_million_documents_is_audited(damaged: Warehouse) -> None:
    damaged.execute(
        "insert into retrieved by name select 1 as run_id, 9000 as topic_id, number as rank, 0 as tied_above, "
        "number as document_id, 0 as score from range(1, 2000001) as numbers(number)"
    )
    assert found_by(damaged, "rank_gaps") == []
    damaged.execute("update retrieved set rank = rank + 1 where topic_id = 9000 and rank in (1000000, 1500000)")
    (finding,) = found_by(damaged, "rank_gaps")
    assert finding.endswith("topic #9000: the ranks are not 1 to 2000000")


@pytest.mark.long
def test_of_many_documents_the_values_of_some_runs_are_audited(damaged: Warehouse) -> None:
    runs = audited_runs(damaged.database, 3000)
    assert len(runs) == 2  # of 1,600 documents each
    assert len(audited_runs(damaged.database)) == 8
    left_out = next(run for (run,) in damaged.rows("select run from runs order by run") if run not in runs)
    chosen = [damaged.catalog["value_counts"]]
    damaged.execute(
        "insert into evaluations select evaluation_id + 9000, qrels_id, run_id, topic_id from evaluations "
        f"join runs using (run_id) where run in ('{left_out}', '{runs[0]}')"
    )
    found = Counter(finding.split(",")[0] for _, finding, _ in findings(damaged.evaluation, chosen, runs=runs))
    assert found == {f"run {runs[0]}": 40}
    assert len(findings(damaged.evaluation, chosen)) == 80


def test_tied_documents_in_another_order_are_found(damaged: Warehouse) -> None:
    run_id, topic_id, rank, run, topic = damaged.rows("""
        select run_id, topic_id, rank, run, topic from retrieved join runs using (run_id) join topics using (topic_id)
        where tied_above = 1 order by run, topic, rank limit 1
    """)[0]
    damaged.execute(f"""
        update retrieved as one set document_id = (
            select document_id from retrieved as other
            where other.run_id = one.run_id and other.topic_id = one.topic_id and other.rank = {2 * rank - 1} - one.rank
        )
        where run_id = {run_id} and topic_id = {topic_id} and rank in ({rank - 1}, {rank})
    """)
    expected = f"run {run}, topic {topic}: the document at rank {rank} is not where the tie rule trec_eval has it"
    assert found_by(damaged, "rank_order")[0] == expected


@pytest.mark.long
@pytest.mark.skipif(
    duckdb.__version__ < "2", reason="DuckDB 1.5 raises an error for the logarithm that Bing takes of such a rank"
)
def test_values_out_of_range_are_named_with_their_measure(damaged: Warehouse) -> None:
    damaged.execute(f"update judged_ranks set grade = 1, relevant_rank = 50 where {FIRST_JUDGED}")
    found = found_by(damaged, "values_out_of_range")
    assert any(finding.startswith(f"{PAIR}: AP is 4.") for finding in found)
    assert all(finding.startswith(PLACE) for finding in found)


@pytest.mark.parametrize("value", ["null", "'nan'", "'inf'"])
def test_values_that_are_no_numbers_are_out_of_range(damaged: Warehouse, value: str) -> None:
    audit = damaged.catalog["values_out_of_range"]
    row = f"select 'q' as qrels, 'r' as run, 't' as topic, 'NumRet' as measure, cast({value} as double) as value"
    assert len(damaged.rows(audit_query(damaged.catalog, audit, {"audited_values": row}))) == 1
    one = row.replace(value, "3")
    assert damaged.rows(audit_query(damaged.catalog, audit, {"audited_values": one})) == []


def test_one_measure_that_leaves_a_topic_out_is_named(damaged: Warehouse) -> None:
    kept = "select qrels, run, topic, 'AP' as measure, value from ap where run <> 'bm25' or topic <> 'T05'"
    audit = damaged.catalog["value_counts"]
    measures = "select 'AP' as measure"
    inputs = {"audited_values": kept, "audited_runs": "select run_id from runs", "audited_measures": measures}
    found = damaged.rows(audit_query(damaged.catalog, audit, inputs))
    assert found == [("value_counts", f"{PAIR}: AP has 0 values, expected 1", 1)]


def test_each_audit_is_shown_damage() -> None:
    assert {name for name, _, _ in cases()} | {"values_out_of_range"} == {audit.name for audit in AUDITS}
    rows = re.findall(r"^\| [a-zP].* \| (`.*`) \|$", GUIDE.read_text(encoding="utf-8"), re.MULTILINE)
    assert Counter(re.findall(r"`(\w+)`", " ".join(rows))) == Counter(audit.name for audit in AUDITS)


@pytest.mark.parametrize("audit", AUDITS, ids=lambda audit: audit.name)
def test_an_audit_holds_to_the_form(damaged: Warehouse, audit: Relation) -> None:
    """All give the same columns, are documented, and keep to the portable core but for the engine's list of views."""
    assert list(audit.columns)[-2:] == ["finding", "num_rows"]
    assert audit.header.definition
    functions = [function.name for function in CATALOG.of_kind("functions")]
    engines_own = ["function duckdb_views", "function duckdb_functions"]
    assert [odd for odd in outside_the_core(audit, functions) if odd not in engines_own] == []
    given = {
        "audited_values": "select qrels, run, topic, 'AP' as measure, value from ap",
        "audited_runs": "select run_id from runs",
        "audited_measures": "select 'AP' as measure",
        "ranking_sums": relation_query(damaged.catalog, "ranking_sums", first_run=0),
    }
    inputs = {name: given[name] for name in audit.header.inputs}
    described = damaged.rows(f"describe {audit_query(damaged.catalog, audit, inputs)}")
    assert [row[:2] for row in described] == [("audit", "VARCHAR"), ("finding", "VARCHAR"), ("num_rows", "BIGINT")]


@pytest.mark.parametrize("cases", few_of([[*FEW_CASES], [*CASES]], 1), ids=["few", "all"])
def test_all_that_is_loaded_is_sound(tmp_path: Path, cases: Sequence[Path]) -> None:
    """Groups, preferences, weights, lists, repeated documents, runs that are replaced, cut and condensed."""
    with new_warehouse() as warehouse:
        if len(cases) > len(FEW_CASES):
            assert findings(warehouse.evaluation, AUDITS) == []  # of nothing
        for case in cases:
            load_judgments(warehouse, case, case.name)
            for run in sorted(chain((case / "runs").glob("*"), (case / "calls").glob("*"))):
                name = f"{case.name}-{run.stem}"
                if case.name != "nuggets":
                    warehouse.load_run({"t": {"a": 1.0}}, name, qrels=case.name, tie_rule="trec_eval_10")
                call = {"call": "call"} if run.parent.name == "calls" else {}
                load_run(warehouse, case, run, name, replace=True, **call)
        for seed in range(6 if len(cases) > len(FEW_CASES) else 3):
            one, name = collection(seed), f"{seed}"
            options = ({}, {"depth": 3}, {"judged_by": name})[seed % 3]
            rule = ("trec_eval", "trec_eval_10", "input")[seed % 3]
            warehouse.load_qrels(one.qrels, name)
            warehouse.load_run(one.run, name, qrels=name, tie_rule=rule, lower_is_better=seed % 2 == 0, **options)
        warehouse.load_lists(write(tmp_path / "listed.txt", "q1 0.5\n3\n1 9.5\n0 8\n1 8\n\nq2\n0\n0 3\n"))
        twice = write(tmp_path / "twice.run", "t1 Q0 a 1 3 x\nt1 Q0 b 2 3 x\nt1 Q0 a 3 3 x\nt1 Q0 c 4 3 x\n")
        warehouse.load_runs(twice, qrels="listed", keep_best=True)
        assert warehouse.rows("select duplicates from runs where run = 'twice'") == [(1,)]
        assert findings(warehouse.evaluation, AUDITS) == []


def test_a_load_that_leaves_gaps_is_rolled_back(
    empty: Warehouse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    retain = ranking._retain

    def damage(database: Database, ranked: str) -> None:
        retain(database, ranked)
        database.execute("update retrieved set rank = rank + 1")

    empty.load_qrels({"t1": {"a": 1}}, "judged")
    empty.load_run({"t1": {"a": 2.0, "b": 1.0}}, "old")
    monkeypatch.setattr(ranking, "_retain", damage)
    with pytest.raises(
        AuditError, match=r"run new, topic t1: the ranks are not 1 to 2(.|\n)*fault of evalsql"
    ) as caught:
        empty.load_run({"t1": {"a": 2.0, "b": 1.0}}, "new")
    assert "run old" not in str(caught.value)
    assert empty.rows("select run, max(rank) from rankings group by run") == [("old", 2)]
    with pytest.raises(AuditError, match="ranks are not 1 to 2"):
        empty.load_runs(write(tmp_path / "new.run", "t1 Q0 a 1 2 x\nt1 Q0 b 2 1 x\n"))


@pytest.mark.long
def test_check_says_what_it_checked(command: Command, sample_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(holdings, "audited_runs", partial(audited_runs, most=3000))
    some_runs = "values of measures were checked for 2 of 8 runs; --all checks every run"
    for option, checked, not_checked in (
        ([], "rank_order", "?"),
        (["--quick"], "", "rank_order"),
        (["--all"], "", "--all"),
    ):
        outcome = command("check", *option, "--db", sample_file)
        assert (outcome.returncode, outcome.stdout.strip()) == (0, "audit  finding  num_rows\n────────────────────────")
        for each in ("checked 8 runs and 1 judgment set by ", "rank_gaps", "nothing was found", checked):
            assert each in outcome.stderr
        assert not_checked not in outcome.stderr
        assert (some_runs in outcome.stderr) == (not option)


@pytest.mark.long
def test_check_prints_findings_and_ends_with_1(command: Command, sample_file: Path, tmp_path: Path) -> None:
    path = new_file(tmp_path, sample_file)
    with evalsql.open(path) as warehouse:
        warehouse.execute(f"update retrieved set rank = rank + 1000 where rank = 7 and {T05}")
    row = {"audit": "rank_gaps", "finding": f"{PLACE}: the ranks are not 1 to 40", "num_rows": "40"}
    outcome = command("check", "--quick", "--db", path, "--format", "csv")
    assert (outcome.returncode, csv_rows(outcome.stdout), "1 finding" in outcome.stderr) == (1, [row], True)
    outcome = command("check", "--db", path, "-o", tmp_path / "found.csv")
    found = csv_rows((tmp_path / "found.csv").read_text())
    assert (outcome.returncode, row in found) == (1, True)
    assert {row["audit"] for row in found} == {"rank_gaps", "rank_order", "judged_rank_differences"}


def test_check_offers_no_runs_and_no_measures(command: Command, sample_file: Path) -> None:
    shown = command("check", "--help").stdout
    assert "--memory-limit" in shown
    assert not [word for word in ("RUNS", "--where", "--system", "--measure", "--qrels", "--ties") if word in shown]
    assert command("check", "-m", "AP", "--db", sample_file).returncode == 2


@pytest.mark.long
def test_measures_of_preferences_are_audited_where_there_are_preferences(
    empty: Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty.load_qrels({"1": {"a": 1}}, "grades")
    empty.load_run({"1": {"a": 1.0}}, "run")
    asked, fill = list[str](), empty.evaluation.fill_scores

    def filled(table: str, labelled: Sequence[tuple[str, Measure]], condition: str = "") -> None:
        asked.extend(measure.relation.family for _, measure in labelled)
        fill(table, labelled, condition)

    monkeypatch.setattr(empty.evaluation, "fill_scores", filled)
    for has_preferences in (False, True):
        if has_preferences:
            rows = [("1", "g", "a", 1.0), ("1", "g", "b", 0.0)]
            empty.load_qrels(rows, "preferred", form="preferences", runs="run")
        asked.clear()
        assert findings(empty.evaluation, [empty.catalog["value_counts"]]) == []
        assert ("preferences" in asked) == has_preferences
