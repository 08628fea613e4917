"""Randomisation tests, bootstrap intervals and randomised Tukey HSD."""

import itertools
import math
import random
from collections.abc import Sequence

import numpy
import pytest
import scipy.stats

import evalsql
from evalsql import QueryError
from evalsql.database import engine
from tests.long_cases import few_of
from tests.oracles import sampled
from tests.statistics.scores import Scores, put_scores

RELATIONS = ("randomisation_tests", "bootstrap_intervals", "tukey_hsd")


def drawn(seed: int, num_runs: int, num_topics: int, *, steps: int = 0) -> dict[str, dict[str, float]]:
    """Random values; in ``steps`` of one part of that number, if given, so that many are equal."""
    drawing = random.Random(seed)

    def value(run: int) -> float:
        found = min(1.0, drawing.random() * (1 + run / 10))
        return round(found * steps) / steps if steps else found

    return {f"run{run:02}": {f"t{topic:03}": value(run) for topic in range(num_topics)} for run in range(num_runs)}


def differences(scores: Scores, baseline: str, run: str) -> list[float]:
    return [scores[run][topic] - scores[baseline][topic] for topic in sorted(scores[run])]


def ps(warehouse: evalsql.Warehouse, call: str) -> dict[tuple[str, str, str], float]:
    rows = warehouse.rows(f"select measure, baseline, run, p from {call}")
    assert len({row[:3] for row in rows}) == len(rows)
    return {(measure, baseline, run): p for measure, baseline, run, p in rows}


def test_hash32_is_arithmetic(warehouse: evalsql.Warehouse) -> None:
    """The numbers stand here so that no version gives others."""
    stored = {(42, 1): 1814491384, (0, 1): 4043257755, (4294967295, 4294967295): 3225602884, (7, 10000): 1580927880}
    drawing = random.Random(3)
    asked = [*stored, *((drawing.randrange(2**32), drawing.randrange(2**32)) for _ in range(300))]
    pairs = ", ".join(map(str, asked))
    found = warehouse.rows(f"select key, item, hash32(key, item) from (values {pairs}) as asked(key, item)")
    assert found == [(*pair, stored.get(pair, sampled.hash32(*pair))) for pair in asked]
    assert all(sampled.hash32(*pair) == number for pair, number in stored.items())
    for key, least, amount in ((42, 1, 126), (0, 0, 1), (4294967295, 7000, 3), (7, 2147483646, 2), (9, 5, 0)):
        ((numbers,),) = warehouse.rows(f"select hash32_list({key}, {least}, {amount})")
        assert numbers == [sampled.hash32(key, item) for item in range(least, least + amount)]


def test_orders_are_drawn_alike() -> None:
    """All orders of five are as frequent as chance has it, and all signs of ten."""
    counts = dict.fromkeys(itertools.permutations(range(5)), 0)
    signs = [0] * 1024
    for draw in range(1, 6001):
        key = sampled.hash32(42, draw)
        signs[sum((sampled.hash32(key, place) >> 31) << place for place in range(1, 11)) >> 1] += 1
        for place in range(1, 6):
            topic_key = sampled.hash32(key, place)
            counts[tuple(sorted(range(5), key=lambda run: sampled.hash32(topic_key, run + 1)))] += 1
    assert scipy.stats.chisquare(list(counts.values())).pvalue > 0.001
    assert scipy.stats.chisquare(signs).pvalue > 0.001


@pytest.mark.parametrize("num_topics", few_of([1, 2, 10, 13, 3, 7, 11], 1))
def test_all_signs(warehouse: evalsql.Warehouse, num_topics: int) -> None:
    families = {"fine": drawn(num_topics, 4, num_topics), "coarse": drawn(num_topics + 50, 5, num_topics, steps=5)}
    put_scores(warehouse, families)
    found = ps(warehouse, "randomisation_tests()")
    assert len(found) == 6 + 10
    assert warehouse.rows("select distinct exact from randomisation_tests()") == [(True,)]
    for (measure, baseline, run), p in found.items():
        values = differences(families[measure], baseline, run)
        assert p == pytest.approx(sampled.exact_randomisation(values), abs=1e-12)
        if num_topics in (2, 7, 10):
            peer = scipy.stats.permutation_test(
                [values], numpy.mean, permutation_type="samples", n_resamples=math.inf, vectorized=True
            )
            assert p == pytest.approx(peer.pvalue, abs=1e-9)


def test_all_signs_of_twenty_and_of_more(warehouse: evalsql.Warehouse) -> None:
    """Zeros do not count; beyond twenty the exact p of whole numbers is met within Monte Carlo error."""
    scores: dict[str, dict[str, float]] = {"base": {f"t{topic:02}": 0.0 for topic in range(40)}}
    drawing = random.Random(8)
    whole: dict[str, list[int]] = {}
    for run, unequal in {"a": 17, "b": 19, "c": 20, "d": 20, "e": 21, "f": 30, "g": 40}.items():
        whole[run] = [drawing.choice([-7, -3, -2, -1, 1, 2, 3, 5, 7]) for _ in range(unequal)] + [0] * (40 - unequal)
        drawing.shuffle(whole[run])
        # Tenths are no doubles: their sums differ in the last digits by the order.
        scores[run] = {f"t{topic:02}": value / 10 for topic, value in enumerate(whole[run])}
    put_scores(warehouse, {"m": scores})
    rows = warehouse.rows("select run, exact, p, num_topics from randomisation_tests(baseline := 'base') order by run")
    assert [(run, exact) for run, exact, *_ in rows] == [(run, run <= "d") for run in "abcdefg"]
    for run, exact, p, num_topics in rows:
        expected = sampled.counted_randomisation(whole[run])
        error = 1e-12 if exact else 5 * math.sqrt(expected * (1 - expected) / 10000) + 1e-4
        assert num_topics == 40
        assert abs(p - expected) <= error
    again = warehouse.rows("select p from randomisation_tests(baseline := 'base', seed := 43) order by run")
    assert [p for (p,) in again][:4] == [row[2] for row in rows][:4]
    assert [p for (p,) in again][4:] != [row[2] for row in rows][4:]


@pytest.mark.parametrize(("samples", "seed"), few_of([(1, 42), (150, -5), (200, 42), (333, 7), (150, 0)]))
def test_drawn_signs(warehouse: evalsql.Warehouse, samples: int, seed: int) -> None:
    families = {"fine": drawn(1, 4, 33), "coarse": drawn(2, 4, 60, steps=5)}
    put_scores(warehouse, families)
    found = ps(warehouse, f"randomisation_tests(samples := {samples}, seed := {seed})")
    assert warehouse.rows("select distinct exact from randomisation_tests()") == [(False,)]
    for (measure, baseline, run), p in found.items():
        values = differences(families[measure], baseline, run)
        assert p == pytest.approx(sampled.randomisation(values, samples, seed), abs=1e-12)


@pytest.mark.parametrize(
    ("confidence", "num_topics", "steps"),
    few_of(((c, *case) for case in ((3, 3), (25, 0), (2, 0), (9, 0), (40, 4)) for c in (0.95, 0.5)), 3),
)
def test_bootstrap_over_the_same_samples(
    warehouse: evalsql.Warehouse, confidence: float, num_topics: int, steps: int
) -> None:
    scores = drawn(num_topics + steps, 4, num_topics, steps=steps)
    put_scores(warehouse, {"m": scores})
    columns = "percentile_low, percentile_high, bca_low, bca_high, p"
    rows = warehouse.rows(
        f"select baseline, run, note, difference, {columns}"
        f" from bootstrap_intervals(samples := 400, seed := 11, confidence := {confidence})"
    )
    assert len(rows) == 6
    for baseline, run, note, difference, *found in rows:
        values = differences(scores, baseline, run)
        assert difference == pytest.approx(sum(values) / num_topics, abs=1e-12)
        assert (note is None) == (max(values) - min(values) > 1e-12)
        if note is None:
            assert found == pytest.approx(sampled.bootstrap(values, 400, 11, confidence), abs=1e-9)


def test_bootstrap_by_scipy(warehouse: evalsql.Warehouse) -> None:
    scores = drawn(5, 4, 50) | {"skewed": {f"t{topic:03}": (topic / 50) ** 6 for topic in range(50)}}
    put_scores(warehouse, {"m": scores})
    rows = warehouse.rows("""
        select baseline, run, percentile_low, percentile_high, bca_low, bca_high, p from bootstrap_intervals()
    """)
    for baseline, run, *found, p in rows:
        values = differences(scores, baseline, run)
        ends: list[float] = []
        for method in ("percentile", "BCa"):
            peer = scipy.stats.bootstrap(
                [values], numpy.mean, n_resamples=9999, method=method, rng=numpy.random.default_rng(1)
            )
            ends += peer.confidence_interval
        # Five standard errors of the difference of two sampled 2.5 per cent quantiles of a normal distribution.
        assert found == pytest.approx(ends, abs=0.2 * peer.standard_error)
        t_test = scipy.stats.ttest_1samp(values, 0).pvalue
        assert p == pytest.approx(t_test, abs=0.03)


def test_tukey_over_the_same_permutations(warehouse: evalsql.Warehouse) -> None:
    families = {"fine": drawn(3, 5, 8), "coarse": drawn(4, 7, 12, steps=4), "two": drawn(5, 2, 9)}
    put_scores(warehouse, families)
    rows = warehouse.rows("select * from tukey_hsd(samples := 300, seed := 9)")
    assert len(rows) == 10 + 21 + 1
    expected: dict[tuple[object, ...], float] = {}
    for measure, scores in families.items():
        matrix = [[scores[run][topic] for run in sorted(scores)] for topic in sorted(scores["run00"])]
        expected |= {(measure, *pair): p for pair, p in sampled.tukey(matrix, 300, 9).items()}
    for qrels, measure, baseline, run, num_topics, difference, p, note in rows:
        assert (qrels, note) == ("q", None)
        assert p == pytest.approx(expected[measure, int(baseline[3:]), int(run[3:])], abs=1e-12)
        values = differences(families[measure], baseline, run)
        assert difference == pytest.approx(sum(values) / len(values), abs=1e-12)
        assert num_topics == len(values)


def test_tukey_by_shuffling(warehouse: evalsql.Warehouse) -> None:
    """Other permutations, by Python's own generator, give the same within Monte Carlo error."""
    scores = drawn(6, 6, 25)
    put_scores(warehouse, {"m": scores})
    values = numpy.array([[scores[run][topic] for run in sorted(scores)] for topic in sorted(scores["run00"])])
    drawing = numpy.random.default_rng(4)
    shuffled = drawing.permuted(numpy.broadcast_to(values, (10000, *values.shape)), axis=2).sum(axis=1)
    ranges = shuffled.max(axis=1) - shuffled.min(axis=1)
    totals = values.sum(axis=0)
    for (_, baseline, run), p in ps(warehouse, "tukey_hsd()").items():
        share = float((ranges >= abs(totals[int(run[3:])] - totals[int(baseline[3:])]) - 1e-12).mean())
        assert abs(p - share) <= 5 * math.sqrt(2 * share * (1 - share) / 10000) + 2e-4


@pytest.mark.parametrize("relation", few_of(RELATIONS))
def test_a_baseline_is_a_choice_of_pairs(warehouse: evalsql.Warehouse, relation: str) -> None:
    """The baseline itself is in none, the difference has its sign, and no other run changes a pair's p."""
    scores = drawn(7, 4, 24)
    put_scores(warehouse, {"m": scores})
    columns = "run, num_topics, difference, p, note"
    every = {
        frozenset((baseline, run)): (run, *rest)
        for baseline, run, *rest in warehouse.rows(f"select baseline, {columns} from {relation}()")
    }
    against = warehouse.rows(f"select {columns} from {relation}(baseline := 'run02') order by run")
    assert [row[0] for row in against] == ["run00", "run01", "run03"]
    for run, num_topics, difference, p, note in against:
        other, *same, other_difference, other_p, other_note = every[frozenset((run, "run02"))]
        assert (same, p, note) == ([num_topics], other_p, other_note)
        assert difference == pytest.approx(other_difference * (1 if other == run else -1), abs=1e-12)
    with pytest.raises(QueryError, match="baseline is nobody, and no run is called so"):
        warehouse.rows(f"from {relation}(baseline := 'nobody')")
    if relation != "tukey_hsd":
        put_scores(warehouse, {"m": {run: scores[run] for run in ("run00", "run02")}})
        assert warehouse.rows(f"select {columns} from {relation}(baseline := 'run02')") == against[:1]


@pytest.mark.skipif(engine.__version__ < "2", reason="DuckDB 1.5 takes no filter through what is read twice")
def test_only_the_measure_asked_for_is_made(empty: evalsql.Warehouse) -> None:
    """The values of the other would be an error. An unknown baseline is one for the measure that lacks it."""
    put_scores(empty, {"m": drawn(7, 2, 5)})
    empty.execute("alter table temp.scores rename to made")
    empty.execute("""
        create temp view scores as
        from made
        union all
        select qrels, run, topic, 'n', error('n is made') from made
    """)
    for relation in ("comparisons", "paired_differences", "wilcoxon_tests"):
        assert empty.rows(f"from {relation}(baseline := 'run00') where measure = 'm'")
        if relation == "comparisons":
            assert len(empty.rows(f"from {relation}(runs := 'run00, run01') where measure = 'm'")) == 1
            with pytest.raises(QueryError, match="runs names nobody, and no run is called so"):
                empty.rows(f"from {relation}(runs := 'run01,nobody') where measure = 'm'")
        with pytest.raises(QueryError, match="baseline is nobody, and no run is called so that has m in q"):
            empty.rows(f"from {relation}(baseline := 'nobody') where measure = 'm'")


def odd_families() -> dict[str, Scores]:
    """Runs that are equal or differ by rounding, by the same everywhere or on one topic; few topics; one run."""
    drawing = random.Random(2)
    topics = [f"t{topic:02}" for topic in range(30)]
    plain = {topic: drawing.random() for topic in topics}
    lonely = {topic: float(topic == "t07") for topic in topics}
    return {
        "m": {
            "a": plain,
            "b": {topic: value + 1e-16 for topic, value in plain.items()},
            "shifted": {topic: value + 0.1 for topic, value in plain.items()},
        },
        "zero": {run: dict.fromkeys(topics, 0.0) for run in "abc"},
        "lonely": {"a": dict.fromkeys(topics, 0.0), "b": lonely, "c": {topic: -lonely[topic] for topic in topics}},
        "one topic": {"a": {"t": 0.5}, "b": {"t": 0.7}, "c": {"t": 0.5}},
        "two topics": {"a": {"s": 0.5, "t": 0.25}, "b": {"s": 0.25, "t": 0.5}, "c": {"s": 1e-300, "t": 1.0}},
        "one run": {"a": plain},
    }


@pytest.mark.parametrize("relation", few_of(RELATIONS, 1))
def test_no_value_is_missing(warehouse: evalsql.Warehouse, relation: str) -> None:
    put_scores(warehouse, odd_families())
    calls = [f"{relation}()", f"{relation}(samples := 1)"]
    if relation == "bootstrap_intervals":
        calls += [f"{relation}(confidence := {confidence}, samples := 20)" for confidence in (0.999999, 0.001)]
    for call in calls:
        rows = warehouse.rows(f"from {call}")
        assert len(rows) == 5 * 3
        assert all(math.isfinite(value) for row in rows for value in row if isinstance(value, float))
        assert all(None not in row[:-1] and 0 < row[-2] <= 1 for row in rows)
    rows = warehouse.rows(f"select measure, baseline, run, p, note from {relation}()")
    notes = {(measure, baseline, run): (p, note) for measure, baseline, run, p, note in rows}
    assert notes["m", "a", "b"] == notes["zero", "b", "c"] == notes["one topic", "a", "c"] == (1, "identical")
    assert notes["one topic", "a", "b"] == (1, "one topic")
    assert notes["two topics", "a", "b"] == (1, None)
    if relation == "bootstrap_intervals":
        assert notes["m", "a", "shifted"] == (1 / 10001, "constant difference")
        ((difference, *ends),) = warehouse.rows("""
            select difference, percentile_low, percentile_high, bca_low, bca_high
            from bootstrap_intervals() where measure = 'm' and baseline = 'a' and run = 'shifted'
        """)
        assert ends == [difference] * 4
        assert difference == pytest.approx(0.1)
    elif relation == "randomisation_tests":
        assert notes["m", "a", "shifted"] == (1 / 10001, None)
        assert notes["lonely", "a", "b"] == (1, None)


def test_topics_are_aligned_by_name(warehouse: evalsql.Warehouse) -> None:
    """Pairs are compared on the topics of both, all pairs at once on those of all."""
    scores = drawn(9, 3, 12)
    ragged = {run: dict(values) for run, values in scores.items()}
    del ragged["run00"]["t003"], ragged["run01"]["t005"]
    put_scores(warehouse, {"m": ragged})
    counts = {frozenset(("run00", "run01")): 10, frozenset(("run00", "run02")): 11, frozenset(("run01", "run02")): 11}
    for relation in ("randomisation_tests", "bootstrap_intervals"):
        for baseline, run, num_topics in warehouse.rows(f"select baseline, run, num_topics from {relation}()"):
            assert num_topics == counts[frozenset((baseline, run))]
    shared = sorted(ragged["run00"].keys() & ragged["run01"].keys() & ragged["run02"].keys())
    expected = sampled.tukey([[ragged[run][topic] for run in sorted(ragged)] for topic in shared], 100, 42)
    for baseline, run, num_topics, p in warehouse.rows(
        "select baseline, run, num_topics, p from tukey_hsd(samples := 100)"
    ):
        assert num_topics == 10
        assert p == pytest.approx(expected[int(baseline[3:]), int(run[3:])], abs=1e-12)


@pytest.mark.parametrize("relation", few_of(RELATIONS, 1))
def test_threads_change_nothing(warehouse: evalsql.Warehouse, relation: str) -> None:
    put_scores(warehouse, {"fine": drawn(1, 12, 40), "coarse": drawn(2, 12, 40, steps=5)})
    answers: list[Sequence[object]] = []
    for threads in (1, 2):
        warehouse.execute(f"set threads = {threads}")
        answers.append(warehouse.rows(f"from {relation}(samples := 3000) order by measure, baseline, run"))
    warehouse.execute("reset threads")
    assert answers[0] == answers[1]
    assert len(answers[0]) == 2 * 66


def test_figures_of_one_seed(warehouse: evalsql.Warehouse) -> None:
    """Counts that stand here, so that another version of the engine or another machine would show."""
    scores = {
        run: {f"t{topic:02}": (topic * topic * factor + topic) % 31 / 30 for topic in range(25)}
        for run, factor in {"a": 3, "b": 7, "c": 12}.items()
    }
    put_scores(warehouse, {"m": scores})
    stored = dict(zip(RELATIONS, ([592, 186, 64], [553, 181, 48], [835, 482, 169]), strict=True))
    for relation, counts in stored.items():
        rows = warehouse.rows(f"select p from {relation}(samples := 999) order by baseline, run")
        assert [round(p * 1000) for (p,) in rows] == counts
