"""Pools and what a run's own documents are worth; agreement of judges by hand and as peers have it."""

import csv
import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import krippendorff
import numpy
import pytest
from sklearn.metrics import cohen_kappa_score, confusion_matrix
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

import evalsql
from evalsql import QueryError, UsageError, Warehouse
from evalsql.catalog.queries import relation_query
from evalsql.evaluation import judging
from tests.conftest import FIXTURES, SAMPLE, Command, assert_refused, csv_rows, load_sample, new_warehouse, write
from tests.long_cases import few_of
from tests.random_collections import Qrels, Run

NAMES = ("one", "two", "three", "four")


@pytest.fixture(scope="module")
def golden() -> Iterator[Warehouse]:
    with new_warehouse() as warehouse:
        warehouse.load_qrels(FIXTURES / "judging" / "qrels.txt", "first")
        warehouse.load_runs(str(FIXTURES / "judging" / "runs" / "*.run"))
        warehouse.load_qrels(FIXTURES / "judging" / "second.txt", "second", runs="*")
        yield warehouse


def test_the_pool_is_that_worked_out_by_hand(golden: Warehouse) -> None:
    rows = golden.rows(judging.pool_query(golden.database, qrels="first", depth=2))
    found = {(topic, document): numbers for topic, document, *numbers in rows}
    assert {key: numbers[:3] for key, numbers in found.items()} == {
        ("q1", "a"): [1, 2, 1],
        ("q1", "b"): [1, 1, 1],
        ("q1", "c"): [1, 1, 2],
        ("q1", "x"): [1, 2, 2],
        ("q2", "a"): [1, 1, 1],
        ("q2", "e"): [2, 2, 1],
        ("q2", "y"): [1, 1, 2],
    }
    assert found["q1", "x"][3:] == pytest.approx([0.288, 0.16, 0.032])
    assert found["q2", "y"][3:] == pytest.approx([0.16, 0.16, 0.16])


@pytest.mark.parametrize(
    "relation", ["pool", "unjudged_pool", "pooled_ranks", "pool_contributions", "unique_judgments"]
)
def test_a_run_that_is_not_there_has_no_pool(golden: Warehouse, relation: str) -> None:
    for runs in ("A,nobody", "nobody"):
        with pytest.raises(QueryError, match="runs names nobody, and no run is called so"):
            golden.rows(f"from {relation}(runs := '{runs}')")


@pytest.mark.parametrize(
    ("relation", "given"),
    few_of(
        [
            *(("unjudged_pool", "runs := 'A', names"), ("judge_favours", "reference")),
            *(("pool_contributions", "runs := 'A', names"), ("unique_judgments", "runs := 'A', names")),
            *(("cohen_kappa", "names"), ("krippendorff_alpha", "names")),
            *(("judgment_effects", "names"), ("judgment_effects", "reference")),
        ]
    ),
)
def test_judgments_that_are_not_there_are_an_error(golden: Warehouse, relation: str, given: str) -> None:
    for names in ("nosuch", "nosuch,first"):
        with pytest.raises(QueryError, match="names has nosuch, and no judgment set is called so"):
            golden.rows(f"from {relation}({given} := '{names}')")
    golden.rows(f"from {relation}({given} := 'first')")


def test_what_is_still_to_be_judged_comes_in_the_order_asked_for(golden: Warehouse) -> None:
    def listed(first: judging.Priority) -> list[tuple[str, str]]:
        query = judging.pool_query(golden.database, qrels="first", depth=2, unjudged=True, first=first)
        return [(topic, document) for topic, document, *_ in golden.rows(query)]

    assert listed("total") == listed("runs") == listed("figure") == [("q1", "x"), ("q2", "y")]
    assert listed("order") == [("q2", "y"), ("q1", "x")]


def test_contributions_are_those_worked_out_by_hand(golden: Warehouse) -> None:
    _, (a, b) = judging.contributions(golden.evaluation, "AP", qrels="first", depth=2)
    assert a[:8] == ("first", "A", 4, 3, 4, 2, 3, 2)
    assert list(a[8:]) == ["AP", pytest.approx(3 / 4), 0, pytest.approx(-3 / 4)]
    assert b[:8] == ("first", "B", 4, 3, 2, 1, 1, 1)
    assert list(b[8:]) == ["AP", pytest.approx(5 / 12), pytest.approx(1 / 6), pytest.approx(-1 / 4)]


def collection(seed: int) -> tuple[Qrels, dict[str, Run]]:
    chance = random.Random(seed)
    topics = [f"q{number}" for number in range(5)]
    qrels = {
        topic: {f"d{at}": chance.choice((-1, 0, 0, 1, 2)) for at in chance.sample(range(40), 25)} for topic in topics
    }
    runs = {
        name: {
            topic: {f"d{at}": float(chance.randint(1, 12)) for at in chance.sample(range(40), chance.randint(5, 30))}
            for topic in topics
            if chance.random() < 0.9
        }
        for name in NAMES
    }
    return qrels, runs


MEASURES = "AP nDCG@5 Bpref R@5 RBP ERR Judged@5 infAP nDCG(judged_only=true) NERR8 RR Compat"


@pytest.mark.long
@pytest.mark.parametrize("seed", few_of([4, 5], 1))
def test_pool_and_contributions_are_those_of_plain_loops(seed: int) -> None:
    """Figures without a run's own documents are those of a warehouse that was loaded without their judgments."""
    qrels, runs = collection(seed)
    pool: dict[tuple[str, str], set[str]] = defaultdict(set)
    with new_warehouse() as warehouse:
        warehouse.load_qrels(qrels, "judged")
        for name, run in runs.items():
            warehouse.load_run(run, name)
        rankings = warehouse.rows("select topic, document, run, rank from rankings")
        places = {(topic, document, name): rank for topic, document, name, rank in rankings}
        for (topic, document, name), rank in places.items():
            if rank <= 6:
                pool[topic, document].add(name)
        rows = warehouse.rows(judging.pool_query(warehouse.database, depth=6, p=0.7))
        assert {tuple(row[:2]) for row in rows} == pool.keys()
        for topic, document, *numbers in rows:
            ranks = [places.get((topic, document, name)) for name in NAMES]
            gains = [0.3 * 0.7 ** (rank - 1) if rank else 0 for rank in ranks]
            counts = [len(pool[topic, document]), len([rank for rank in ranks if rank]), min(filter(None, ranks))]
            assert numbers == pytest.approx([*counts, sum(gains), max(gains), max(gains) - min(gains)])
        unjudged = warehouse.rows(judging.pool_query(warehouse.database, depth=6, unjudged=True))
        assert {(topic, document) for topic, document, *_ in unjudged} == {
            (topic, document) for topic, document in pool if qrels[topic].get(document, -1) < 0
        }
        found_by_run: dict[str, list[Any]] = defaultdict(list)
        columns, rows = judging.contributions(warehouse.evaluation, MEASURES, depth=6)
        for row in rows:
            each = SimpleNamespace(**dict(zip(columns, row, strict=True)))
            found_by_run[each.run].append(each)
    assert set(found_by_run) == set(NAMES)
    for name, figures in found_by_run.items():
        own = {key for key, pooling in pool.items() if pooling == {name}}
        left = {
            topic: {each: grade for each, grade in grades.items() if (topic, each) not in own or grade < 1}
            for topic, grades in qrels.items()
        }
        assert figures[0].num_unique == len(own)
        assert figures[0].num_unique_relevant == sum(qrels[topic].get(each, 0) >= 1 for topic, each in own)
        with new_warehouse() as without:
            without.load_qrels(left, "judged")
            without.load_run(runs[name], name)
            ((_, _, *values),) = without.evaluate(MEASURES).fetchall()
        assert [each.value_without for each in figures] == pytest.approx(values, abs=1e-12)


@pytest.mark.parametrize("shift", [0, 2**31 - 2000])
def test_documents_that_several_runs_have_count_once(sample: Warehouse, shift: int) -> None:
    """Whatever their keys are; those of the sample are moved to the greatest that there may be."""
    columns = "qrels_id, topic_id, document_id"
    judged = {*sample.rows(f"select {columns} from judged_documents where grade >= 0")}
    found = sample.rows(f"select {columns} from evaluations join retrieved using (run_id, topic_id) where rank <= 15")
    counts = Counter((qrels, topic) for qrels, topic, _ in {*found} - judged)
    moved = "select * replace (cast(document_id + {} as integer) as document_id) from main.{}"
    tables = {name: moved.format(shift, name) for name in ("retrieved", "judged_documents")}
    query = relation_query(sample.catalog, "pooled_holes", tables, k=15)
    assert {(qrels, topic): number for qrels, topic, number in sample.rows(query) if number} == counts


def test_measures_of_groups_have_no_contributions(golden: Warehouse) -> None:
    with pytest.raises(UsageError, match=r"alpha_nDCG.* goes by groups, preferences or spans"):
        judging.contributions(golden.evaluation, "alpha_nDCG")


def test_the_command_writes_what_is_to_be_judged(demo: Command, tmp_path: Path) -> None:
    asked = demo("pool", "bm25", "dense", "--depth", "10", "--unjudged", "-o", "to_judge.tsv")
    assert (asked.returncode, asked.stdout) == (0, "")
    rows = list(csv.DictReader((tmp_path / "to_judge.tsv").open(), delimiter="\t"))
    lines = [line.split() for line in (SAMPLE / "qrels.txt").read_text().splitlines()]
    judged = {(topic, document) for topic, _, document, grade in lines if int(grade) >= 0}
    assert rows
    assert not {(row["topic"], row["document"]) for row in rows} & judged
    assert f"{len(rows)} documents to judge of" in asked.stderr
    numbers = [int(row["num_pooling"]) for row in rows]
    assert numbers == sorted(numbers, reverse=True)
    table = demo("pool", "bm25", "dense", "--contributions", "-m", "AP", "--format", "csv")
    assert [line.split(",")[1] for line in table.stdout.splitlines()] == ["run", "bm25", "dense"]
    for refused in (("-m", "AP"), ("nosuch",)):
        assert_refused(demo("pool", *refused))


def test_a_page_of_nothing_to_judge_is_not_written(command: Command, tmp_path: Path) -> None:
    write(tmp_path / "qrels.txt", "q 0 a 1\n")
    write(tmp_path / "one.run", "q Q0 a 1 1.0 one\n")
    assert command("load", "qrels", "qrels.txt").returncode == command("load", "runs", "one.run").returncode == 0
    assert_refused(command("pool", "--unjudged", "--write", "page.html"), "page.html: nothing to judge is left")
    assert not (tmp_path / "page.html").exists()


SETS = ("first", "second", "third")


def judges(seed: int, *, missing: float) -> dict[str, Qrels]:
    """Three judges of the same documents, who agree more often than not, with grades from -1 to 3."""
    chance = random.Random(seed)
    found: dict[str, Qrels] = {name: {} for name in SETS}
    for number in range(6):
        for at in range(15):
            truth = chance.choice((0, 0, 1, 2, 3))
            for name in SETS:
                if chance.random() >= missing:
                    grade = truth if chance.random() < 0.6 else chance.choice((-1, 0, 1, 2, 3))
                    found[name].setdefault(f"q{number}", {})[f"d{at}"] = grade
    return found


def matrix(found: dict[str, Qrels], rel: int | None) -> numpy.ndarray:
    """A row for each judge, a column for each document, nan where there is no judgment."""
    every = sorted({(topic, each) for qrels in found.values() for topic, grades in qrels.items() for each in grades})
    grades = [[qrels.get(topic, {}).get(document, -1) for topic, document in every] for qrels in found.values()]
    rated = numpy.array(grades, dtype=float)
    rated[rated < 0] = numpy.nan
    return rated if rel is None else numpy.where(numpy.isnan(rated), numpy.nan, rated >= rel)


def statistics(warehouse: Warehouse, rel: int | None) -> dict[tuple[str, str], tuple[Any, ...]]:
    rows = warehouse.rows(judging.agreement_query(warehouse.database, "statistics", "*", rel=rel))
    return {(statistic, qrels): (documents, value) for statistic, qrels, documents, value in rows}


@pytest.fixture(scope="module", params=few_of([(2, 0.3), (1, 0.0), (3, 0.6)], 1, one_value=True))
def judged(request: pytest.FixtureRequest) -> Iterator[tuple[Warehouse, dict[str, Qrels]]]:
    seed, missing = request.param
    with new_warehouse() as warehouse:
        found = judges(seed, missing=missing)
        for name, qrels in found.items():
            warehouse.load_qrels(qrels, name)
        yield warehouse, found


@pytest.mark.parametrize("rel", few_of([None, 2, 1]))
def test_cohens_kappa_is_that_of_scikit_learn(judged: tuple[Warehouse, dict[str, Qrels]], rel: int | None) -> None:
    warehouse, found = judged
    ours = statistics(warehouse, rel)
    ratings = dict(zip(SETS, matrix(found, rel), strict=True))
    for one, two in (("first", "second"), ("first", "third"), ("second", "third")):
        both = ~numpy.isnan(ratings[one]) & ~numpy.isnan(ratings[two])
        left, right = ratings[one][both].astype(int), ratings[two][both].astype(int)
        labels = list(range(4))  # without gaps its weights are by grade too
        for word, weights in (("", None), (", linear", "linear"), (", quadratic", "quadratic")):
            expected = cohen_kappa_score(left, right, labels=labels, weights=weights)
            assert ours[f"Cohen's kappa{word}", f"{one}, {two}"] == (both.sum(), pytest.approx(expected, abs=1e-12))
        assert ours["agreement", f"{one}, {two}"] == (both.sum(), pytest.approx((left == right).mean(), abs=1e-12))
        table = confusion_matrix(left, right, labels=labels)
        cells = warehouse.rows(judging.agreement_query(warehouse.database, "confusion", [one, two], rel=rel))
        assert {(row, column): count for _, _, row, column, count in cells} == {
            (row, column): table[row][column] for row in labels for column in labels if table[row][column]
        }
        differing = warehouse.rows(judging.agreement_query(warehouse.database, "documents", [one, two], rel=rel))
        assert len(differing) == (left != right).sum()


@pytest.mark.parametrize("rel", few_of([None, 2, 1]))
def test_statistics_of_all_are_those_of_peers(judged: tuple[Warehouse, dict[str, Qrels]], rel: int | None) -> None:
    warehouse, found = judged
    ratings, ours, together = matrix(found, rel), statistics(warehouse, rel), "first, second, third"
    whole = ratings[:, ~numpy.isnan(ratings).any(axis=0)].astype(int)
    expected = fleiss_kappa(aggregate_raters(whole.T)[0], method="fleiss")
    assert ours["Fleiss' kappa", together] == (whole.shape[1], pytest.approx(expected, abs=1e-12))
    for level in ("nominal", "ordinal", "interval"):
        expected = krippendorff.alpha(reliability_data=ratings, level_of_measurement=level)
        documents, value = ours[f"Krippendorff's alpha, {level}", together]
        assert value == pytest.approx(expected, abs=1e-12)
        assert documents == ((~numpy.isnan(ratings)).sum(axis=0) > 1).sum()


def test_agreement_is_that_worked_out_by_hand(golden: Warehouse) -> None:
    with (FIXTURES / "judging" / "agreement.tsv").open(newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))
    assert len(rows) == 10
    for row in rows:
        found = statistics(golden, int(row["rel"]) if row["rel"] else None)
        expected = (int(row["documents"]), pytest.approx(float(row["value"]), abs=6e-7))
        assert found[row["statistic"], "first, second"] == expected, row


def test_an_unknown_word_for_disagreement_is_refused(golden: Warehouse) -> None:
    """It was taken for quadratic."""
    with pytest.raises(QueryError, match="disagreement is squared, but must be equal, linear or quadratic"):
        golden.rows("from cohen_kappa(disagreement := 'squared')")


def test_figures_stand_side_by_side(golden: Warehouse) -> None:
    """By the second set q1 has the relevant documents a, b and c, and q2 has f, which neither run found."""
    query, orders = judging.effects(golden.evaluation, ["first", "second"], "AP")
    columns, rows = golden.database.table(query)
    assert columns[:6] == ["measure", "run", "qrels", "other", "value", "other_value"]
    # A: q1 (1 + 1) / 3, q2 nothing; B: q1 (1 + 2/3) / 3, q2 nothing.
    assert rows == [
        ("AP", "A", "first", "second", pytest.approx(3 / 4), pytest.approx(1 / 3), pytest.approx(-5 / 12), 1, 1),
        ("AP", "B", "first", "second", pytest.approx(5 / 12), pytest.approx(5 / 18), pytest.approx(-5 / 36), 2, 2),
    ]
    assert orders == [("AP", "first", "second", 2, pytest.approx(1), pytest.approx(1))]


def test_judges_who_all_say_the_same_have_no_kappa(empty: Warehouse) -> None:
    for name in SETS:
        empty.load_qrels({"q": {"a": 1, "b": 1}}, name)
    found = statistics(empty, None)
    assert found["agreement", "first, second"] == (2, 1)
    assert {value for (statistic, _), (_, value) in found.items() if statistic != "agreement"} == {None}


def test_judges_of_different_documents_have_no_agreement(empty: Warehouse) -> None:
    for name, document in (("one", "a"), ("two", "b")):
        empty.load_qrels({"q": {document: 1}}, name)
    assert set(statistics(empty, None).values()) == {(0, None)}
    with pytest.raises(UsageError, match="no run is evaluated with two"):
        judging.effects(empty.evaluation, ["one", "two"], "AP")
    with pytest.raises(UsageError, match="two judgment sets at least"):
        judging.agreement_query(empty.database, "statistics", "one")


@pytest.mark.long
def test_the_command_prints_each_table(command: Command, tmp_path: Path) -> None:
    lines = (SAMPLE / "qrels.txt").read_text().splitlines()
    changed = [line[:-1] + "1" if at % 6 == 0 else line for at, line in enumerate(lines) if at % 5]
    with evalsql.open(tmp_path / "evalsql.duckdb") as warehouse:
        load_sample(warehouse, "bm25", "dense")
        warehouse.load_qrels(write(tmp_path / "other.txt", "\n".join(changed) + "\n"), runs="*")

    def rows(*arguments: str) -> list[dict[str, str]]:
        asked = command("agreement", "sample", "other", "--format", "csv", *arguments)
        assert asked.returncode == 0, asked.stderr
        return csv_rows(asked.stdout)

    assert [row["statistic"] for row in rows()][:2] == ["agreement", "Cohen's kappa"]
    kept = {tuple(line.split()[::2]) for line in lines if int(line.split()[3]) >= 0}
    both = [line for line in changed if tuple(line.split()[::2]) in kept and int(line.split()[3]) >= 0]
    assert sum(int(row["num_documents"]) for row in rows("--show", "confusion")) == len(both)
    differing = rows("--show", "documents", "--rel", "1")
    assert {(row["rating"], row["other_rating"]) for row in differing} == {("1", "0")}
    assert {row["run"] for row in rows("--show", "figures", "-m", "AP")} == {"bm25", "dense"}
    asked = command("agreement", "sample", "other", "--show", "figures", "-m", "AP")
    assert "AP: order of 2 runs by other and by sample: tau-b 1.0000" in asked.stderr
    assert command("agreement", "sample").returncode == 2
    assert "--show figures" in command("agreement", "sample", "other", "-m", "AP").stderr
