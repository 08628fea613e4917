"""Means, places, groups and comparisons over collections, beside numpy and plain loops over the same samples."""

import itertools
import json
import tarfile
from pathlib import Path

import numpy as np
import pytest
import scipy.stats

from evalsql import Warehouse
from evalsql.report.site.console_page import questions
from tests.boards.made import Board, Cell, drawn_means, load_figures, made, put_board, values_of
from tests.conftest import write
from tests.long_cases import few_of
from tests.statistics.scores import put_rows

SAMPLES, SEED = 400, 7
MIXED = made(3, 6, 5, topics=7)
CLUSTERS = {"c0": "forum", "c3": "forum"}
COLUMNS = [f"c{each}" for each in range(5)]


def by_name(warehouse: Warehouse, columns: str, call: str) -> dict[str, list[float]]:
    rows = warehouse.rows(f"select system, {columns} from {call} order by system, version")
    return {name: found for name, *found in rows}


def column(warehouse: Warehouse, name: str, call: str) -> np.ndarray:
    return np.array([value for (value,) in by_name(warehouse, name, call).values()], dtype=float)


@pytest.mark.parametrize("lower", [False, True])
def test_five_means_and_their_places(warehouse: Warehouse, lower: bool) -> None:
    board = made(1, 9, 6)
    board["s01"] = dict(board["s00"])  # two that are equal everywhere
    put_board(warehouse, board)
    values = values_of(board)
    sign = -1 if lower else 1
    ranks = scipy.stats.rankdata(-sign * values, axis=0)
    z = sign * (values - values.mean(0)) / values.std(0, ddof=1)
    expected = {"macro": values.mean(1), "borda": ranks.mean(1), "standardised": z.mean(1)}
    expected["wins"] = ((len(board) - ranks) / (len(board) - 1)).mean(1)
    call = f"board_means(lower_is_better := {lower})"
    for name, wanted in expected.items():
        assert column(warehouse, name, call) == pytest.approx(wanted, abs=1e-12), name
        signed = wanted * (sign if name == "macro" else -1 if name == "borda" else 1)
        places = scipy.stats.rankdata(-signed.round(12), method="min")
        assert column(warehouse, f"{name}_place", call).tolist() == places.tolist(), name
    assert {micro for (micro,) in warehouse.rows(f"select micro from {call}")} == {None}
    differences = warehouse.rows("select difference from boards() order by system, collection")
    assert np.ravel(differences) == pytest.approx(np.ravel(values - np.median(values, axis=0)), abs=1e-12)
    medians = warehouse.rows("select any_value(median) from boards() group by collection order by collection")
    assert np.ravel(medians) == pytest.approx(np.median(values, axis=0), abs=1e-12)


def test_a_micro_mean_is_over_all_topics(warehouse: Warehouse) -> None:
    only = {name: {each: cells[each] for each in ("c1", "c3")} for name, cells in MIXED.items()}
    put_board(warehouse, only)
    every = {name: [value for cell in cells.values() for value in cell.values()] for name, cells in only.items()}  # type: ignore[union-attr]
    expected = [np.mean(every[name]) for name in sorted(every)]
    assert column(warehouse, "micro", "board_means()") == pytest.approx(expected, abs=1e-12)
    put_board(warehouse, {**only, "s99": {"c1": 0.5, "c3": 0.5}})  # has no topics, and so no micro mean
    assert by_name(warehouse, "micro", "board_means()")["s99"] == [None]
    assert len(by_name(warehouse, "place", "board_places(mean := 'micro')")) == len(only)
    # Nor is it one of the systems that others are better than, or that lack a collection.
    for missing in ("complete", "common"):
        rows = warehouse.rows(f"select wins, num_systems from boards(mean := 'micro', missing := '{missing}')")
        expected = [place / (len(only) - 1) for place in range(len(only)) for _ in ("c1", "c3")]
        assert sorted(wins for wins, _ in rows) == expected
        assert {size for _, size in rows} == {len(only)}


def test_who_is_on_the_board(warehouse: Warehouse) -> None:
    whole = {"c0": 0.5, "c1": 0.6, "c2": 0.7}
    board: Board = {
        **{"a@1": whole, "a@2": whole, "a@external": whole, "b@external": whole},
        **{"c@new": {"c0": 0.9, "c1": 0.9}, "c@old": {"c0": 0.1}, "d": {"c2": 0.4, "c1": 0.3}},
    }
    put_board(warehouse, board)
    rows = warehouse.rows(
        "select system, version, num_collections, num_versions, is_shown from board_rows() order by 1"
    )
    assert rows == [
        *[("a", "2", 3, 3, True), ("b", "external", 3, 1, True)],
        *[("c", "new", 2, 2, False), ("d", None, 2, 1, False)],
    ]
    asked = "select system, num_collections, macro from board_means(missing := '{}') order by 1"
    assert [each[:2] for each in warehouse.rows(asked.format("complete"))] == [("a", 3), ("b", 3)]
    assert [each[:2] for each in warehouse.rows(asked.format("any"))] == [("a", 3), ("b", 3), ("c", 2), ("d", 2)]
    assert warehouse.rows(asked.format("common")) == [("a", 1, 0.6), ("b", 1, 0.6), ("c", 1, 0.9), ("d", 1, 0.3)]
    assert len(warehouse.rows("from board_rows(versions := 'all')")) == len(board)


def separated(differences: np.ndarray, tail: float) -> bool:
    return bool((differences <= 1e-12).sum() <= np.floor(tail * (len(differences) - 1)))


@pytest.mark.parametrize(
    ("mean", "intervals"), few_of([("micro", "expanded"), ("macro", "percentile"), ("macro", "expanded")], 1)
)
def test_places_in_the_same_samples(warehouse: Warehouse, mean: str, intervals: str) -> None:
    board = MIXED
    if mean == "micro":
        every = made(5, 5, 8, topics=4)
        board = {name: {each: cells[each] for each in ("c1", "c3", "c5", "c7")} for name, cells in every.items()}
    clusters = CLUSTERS if mean == "macro" else {}
    put_board(warehouse, board, clusters)
    drawn = drawn_means(board, clusters, SAMPLES, SEED, micro=mean == "micro")
    call = f"(mean := '{mean}', samples := {SAMPLES}, seed := {SEED}"
    rows = warehouse.rows(f"select mean from board_resamples{call}) where draw > 0 order by draw, system")
    assert np.reshape(rows, drawn.shape) == pytest.approx(drawn, abs=1e-12)
    num = len({clusters.get(each, each) for each in next(iter(board.values()))})
    tail = 0.05
    if intervals == "expanded":
        tail = scipy.stats.norm.cdf(-np.sqrt(num / (num - 1)) * scipy.stats.t.ppf(0.95, num - 1))
    low, high = int(np.floor(tail * (SAMPLES - 1))), int(np.ceil((1 - tail) * (SAMPLES - 1)))
    places = np.sort(scipy.stats.rankdata(-drawn.round(12), axis=1, method="min"), axis=0)
    call = f"board_places{call}, intervals := '{intervals}', confidence := 0.9)"
    ends = [column(warehouse, name, call) for name in ("place_low", "place_high", "low", "high")]
    by_mean = np.sort(drawn, axis=0)
    for found, wanted in zip(ends, (places[low], places[high], by_mean[low], by_mean[high]), strict=True):
        assert found == pytest.approx(wanted, abs=1e-12)
    order = [name for (name,) in warehouse.rows(f"select system from {call} order by place")]
    at = [sorted(board).index(name) for name in order]
    groups, leader = [1], at[0]
    for this in at[1:]:
        is_new = separated(drawn[:, leader] - drawn[:, this], tail)
        groups.append(groups[-1] + is_new)
        leader = this if is_new else leader
    expected = [
        (separated(drawn[:, this] - drawn[:, below], tail) if below is not None else None, group)
        for this, below, group in zip(at, [*at[1:], None], groups, strict=True)
    ]
    found_rows = warehouse.rows(f"select separated, place_group, tied_first from {call} order by place")
    assert [each[:2] for each in found_rows] == expected
    assert [each[2] for each in found_rows] == [not separated(drawn[:, at[0]] - drawn[:, this], tail) for this in at]
    assert len({*groups}) > 1


def test_samples_of_systems_that_lack_collections(warehouse: Warehouse) -> None:
    """A sample without any collection of a system has no mean of it, and it stands last there."""
    board = {**MIXED, "s00": {"c0": MIXED["s00"]["c0"], "c1": MIXED["s00"]["c1"]}}
    put_board(warehouse, board, CLUSTERS)
    call = f"board_resamples(missing := 'any', samples := {SAMPLES}, seed := {SEED})"
    rows = warehouse.rows(f"select mean, place from {call} where draw > 0 order by draw, system")
    drawn = drawn_means(board, CLUSTERS, SAMPLES, SEED)
    found = np.array([np.nan if mean is None else mean for mean, _ in rows]).reshape(drawn.shape)
    assert found == pytest.approx(drawn, abs=1e-12, nan_ok=True)
    without = np.isnan(drawn[:, 0])
    assert 0 < without.sum() < SAMPLES
    assert {place for (_, place), is_none in zip(rows[:: len(board)], without, strict=True) if is_none} == {len(board)}
    kept = drawn[~without, 0]
    call = call.replace("resamples", "places")
    ((low, high),) = warehouse.rows(f"select low, high from {call} where system = 's00'")
    ordered, last = np.sort(kept), len(kept) - 1
    ends = ordered[[int(np.floor(0.025 * last)), int(np.ceil(0.975 * last))]]
    assert (low, high) == pytest.approx(tuple(ends), abs=1e-12)


@pytest.mark.long
def test_a_hundred_models_on_ten_collections(warehouse: Warehouse, real: Path) -> None:
    """Results of MTEB beside numpy's own draws: who is separated, who is tied with the first, places of the first."""
    board: dict[str, dict[str, Cell]] = {}
    with tarfile.open(real / "mteb" / "eng-v2-retrieval.tar.xz") as archive:
        for member in archive:
            *_, model, version, file = Path(member.name).parts if member.isfile() else ("", "external", "")
            content = archive.extractfile(member)
            if version != "external" and file.endswith(".json") and content:
                (found,) = json.load(content).get("scores", {}).get("test", [{"main_score": 0.5}])
                board.setdefault(f"{model}@{version}", {})[file] = found["main_score"]
    whole = {name: cells for name, cells in board.items() if len(cells) == 10}
    put_board(warehouse, {name.replace("@", " "): cells for name, cells in whole.items()})
    assert len(whole) > 100
    values = values_of(whole)
    values = values[np.argsort(-values.mean(1))]
    picks = np.random.default_rng(1).integers(10, size=(10_000, 10))
    drawn = values[:, picks].mean(2)
    rows = warehouse.rows("select separated, tied_first, place_low, place_high from board_places() order by place")
    near = (np.quantile(drawn[:-1] - drawn[1:], 0.025, axis=1) > 0).sum()
    assert sum(bool(each[0]) for each in rows) == pytest.approx(near, abs=2)
    tied = (np.quantile(drawn[0] - drawn, 0.025, axis=1) <= 0).sum()
    assert sum(each[1] for each in rows) == pytest.approx(tied, abs=2)
    places = np.quantile(scipy.stats.rankdata(-drawn, axis=0, method="min")[0], [0.025, 0.975])
    assert rows[0][2:] == pytest.approx(places, abs=1)


def test_drawing_agrees_with_another_generator(warehouse: Warehouse) -> None:
    """Spread of the means over collections with and without topics, within what 4,000 samples leave open."""
    board = made(11, 3, 6, topics=12)
    put_board(warehouse, board)
    drawing = np.random.default_rng(5)
    means = []
    for _ in range(4000):
        picks = drawing.integers(6, size=6)
        cells = [board["s01"][f"c{each}"] for each in picks]
        means.append(
            np.mean(
                [
                    each if isinstance(each, float) else drawing.choice([*each.values()], len(each)).mean()
                    for each in cells
                ]
            )
        )
    ((spread,),) = warehouse.rows("select stddev(mean) from board_resamples(samples := 4000) where system = 's01'")
    assert spread == pytest.approx(np.std(means), rel=0.05)
    ((alone,),) = warehouse.rows(
        "select stddev(mean) from board_resamples(samples := 4000, draw := 'collections') where system = 's01'"
    )
    assert alone == pytest.approx(values_of(board)[1].std() / np.sqrt(6), rel=0.05)
    assert alone < 0.98 * spread


def test_many_topics_are_drawn_in_groups_that_spread_the_same(warehouse: Warehouse) -> None:
    drawing = np.random.default_rng(2)
    values = {f"t{topic:03}": float(value) for topic, value in enumerate(drawing.normal(size=250))}
    put_board(warehouse, {"a": {"c0": values, "c1": 0.0, "c2": 0.0}})
    rows = warehouse.rows("select mean from board_resamples(samples := 4000) where draw = 0")
    assert rows == [(pytest.approx(np.mean([*values.values()]) / 3, abs=1e-12),)]
    # The variance of c0 drawn once, twice ... of three, from the law of total variance.
    mean, variance = np.mean([*values.values()]), np.var([*values.values()]) / 250
    expected = (mean**2 * 3 * (1 / 3) * (2 / 3) + variance) / 9
    ((found,),) = warehouse.rows("select var_samp(mean) from board_resamples(samples := 4000) where draw > 0")
    assert found == pytest.approx(expected, rel=0.2)


def test_two_collections_have_no_intervals(warehouse: Warehouse) -> None:
    put_board(warehouse, made(4, 3, 2))
    found = warehouse.rows("select place, place_low, high, separated, tied_first, place_group from board_places()")
    assert sorted(found) == [(place, None, None, None, None, None) for place in (1, 2, 3)]


def test_pairs_over_collections(warehouse: Warehouse) -> None:
    board = made(8, 5, 9)
    put_board(warehouse, board)
    values = dict(zip(sorted(board), values_of(board), strict=True))
    drawn = dict(zip(sorted(board), drawn_means(board, {}, SAMPLES, SEED).T, strict=True))
    columns = "difference, low, high, separated, wins, losses, p, p_corrected, sign_p, simpson"
    rows = warehouse.rows(f"select baseline, system, {columns} from board_pairs(samples := {SAMPLES}, seed := {SEED})")
    assert {frozenset(each[:2]) for each in rows} == {*map(frozenset, itertools.combinations(values, 2))}
    ps = sorted(each[8] for each in rows)
    steps = [min(1, (len(ps) - at) * p) for at, p in enumerate(ps)]
    holm = dict(zip(ps, itertools.accumulate(steps, max), strict=True))
    for base, name, difference, low, high, is_separated, wins, losses, p, corrected, sign_p, simpson in rows:
        apart, resampled = values[name] - values[base], np.sort(drawn[name] - drawn[base])
        assert difference == pytest.approx(apart.mean(), abs=1e-12)
        assert (low, high) == pytest.approx((resampled[9], resampled[390]), abs=1e-12)
        assert is_separated == (low > 0 or high < 0)
        assert (wins, losses) == ((apart > 0).sum(), (apart < 0).sum())
        assert p == pytest.approx(scipy.stats.ttest_rel(values[name], values[base]).pvalue, abs=1e-10)
        assert corrected == pytest.approx(holm[p], abs=1e-12)
        assert sign_p == pytest.approx(scipy.stats.binomtest(wins, wins + losses).pvalue, abs=1e-10)
        assert simpson == ((wins - losses) * difference < 0)


def test_pairs_without_the_same_collections_have_no_interval(warehouse: Warehouse) -> None:
    """A difference is over what both have, and an interval of means over other collections is none of it."""
    figures = {name: {"c0": 0.2 + at / 10, "c1": 0.4, "c2": 0.3 - at / 10} for at, name in enumerate("ab")}
    put_board(warehouse, {**figures, "c": {"c0": 0.9, "c1": 0.1}, "d": {"c2": 0.5}})
    found = "system, num_collections, low is null, separated is null, p is null, p_corrected is null"
    call = "board_pairs(baseline := 'a', missing := 'any', samples := 100)"
    assert warehouse.rows(f"select {found} from {call} order by 1") == [
        ("b", 3, False, False, False, False),
        ("c", 2, True, True, False, False),
        ("d", 1, True, True, True, True),
    ]


def test_a_mean_may_say_the_opposite_of_most_collections(warehouse: Warehouse) -> None:
    put_board(warehouse, {"steady": dict.fromkeys("abcd", 0.5), "once": {"a": 0.9, "b": 0.49, "c": 0.49, "d": 0.49}})
    found = "system, difference > 0, wins, losses, simpson"
    for lower in (False, True):
        call = f"board_pairs(baseline := 'steady', lower_is_better := {lower})"
        assert warehouse.rows(f"select {found} from {call}") == [("once", True, *((3, 1) if lower else (1, 3)), True)]
    put_board(warehouse, {"steady": dict.fromkeys("abcd", 0.5), "other": dict.fromkeys("abcd", 0.4)})
    call = "board_pairs(baseline := 'steady')"
    assert warehouse.rows(f"select simpson, separated, p from {call}") == [(False, True, 0.0)]


def test_leaving_a_collection_out_and_dominance(warehouse: Warehouse) -> None:
    board = made(6, 8, 5)
    board["s07"] = {**board["s07"], "c4": 0.0}
    board["s06"] = {**board["s06"], "c0": 0.0}
    put_board(warehouse, board)
    values, names = values_of(board), sorted(board)
    before = scipy.stats.rankdata(-values.mean(1), method="min")
    for out in range(5):
        left = np.delete(values, out, axis=1).mean(1)
        places = scipy.stats.rankdata(-left, method="min")
        columns = "mean, place, place_before, changes_first"
        rows = warehouse.rows(f"select {columns} from board_without() where collection = 'c{out}' order by system")
        assert [each[0] for each in rows] == pytest.approx(left, abs=1e-12)
        assert [each[1:3] for each in rows] == [*zip(places, before, strict=True)]
        assert {each[3] for each in rows} == {bool(np.argmax(left) != np.argmax(values.mean(1)))}
    assert {each for (each,) in warehouse.rows("select changes_first from board_without()")} == {True, False}
    dominated = {
        (names[one], names[other], int((values[one] > values[other]).sum()))
        for one, other in itertools.permutations(range(8), 2)
        if (values[one] >= values[other]).all()
    }
    assert {*warehouse.rows("select system, other, num_better from board_dominance()")} == dominated
    assert dominated


def test_values_come_from_runs_and_from_figures(empty: Warehouse, tmp_path: Path) -> None:
    """What has topics goes before figures, the first judgments before later ones, and the latest run before others."""
    for qrels, grade in (("robust", 1), ("robust-2", 0), ("covid", 2)):
        meta = {"collection": "robust"} if qrels == "robust-2" else {"cluster": "medicine"} if qrels == "covid" else {}
        empty.load_qrels(write(tmp_path / "qrels", f"q1 0 d1 {grade}\nq2 0 d2 1\n"), qrels, meta=meta)
    good, bad = (write(tmp_path / each, f"q1 0 {each} 1 2 x\nq2 0 d2 1 1 x\n") for each in ("d1", "d2"))
    for name, file, date in (("new", good, "2026-02-01"), ("old", bad, "2026-01-01")):
        meta = {"system": "mine", "version": "1", "date": date}
        empty.load_runs(file, name=name, meta=meta, qrels=["robust", "robust-2"])
    empty.load_runs(write(tmp_path / "d3", "q1 0 d3 1 2 x\nq2 0 d2 1 1 x\n"), name="alone", qrels=["covid"])
    load_figures(empty, {"mine@1": {"robust": 0.7}, "mine@2": {"robust": 0.7}, "theirs@1": {"covid": 0.7}}, "P@10")
    columns = "collection, system, version, value, num_topics, topics, topic_values, qrels, run"
    rows = empty.rows(f"select {columns} from board_values where measure = 'P@10' order by all")
    topics = (2, ["q1", "q2"])
    assert rows == [
        ("covid", "alone", None, 0.05, *topics, [0.0, 0.1], "covid", "alone"),
        ("covid", "theirs", "1", 0.7, None, None, None, None, "theirs@1 on covid"),
        ("robust", "mine", "1", 0.1, *topics, [0.1, 0.1], "robust", "new"),
        ("robust", "mine", "2", 0.7, None, None, None, None, "mine@2 on robust"),
    ]
    empty.execute("alter table qrels add column collection varchar default 'x'; update qrels set collection = qrels")
    of_measure = f"select {columns} from board_values where measure = 'P@10' order by all"
    assert empty.rows(of_measure) == rows  # a column that somebody added says nothing
    assert empty.rows("from collection_clusters order by all") == [("covid", "medicine"), ("robust", "robust")]
    put_rows(empty, [("covid", "alone", "q1", "GMAP", 0.5), ("covid", "alone", "q2", "GMAP", 0.125)])
    geometric = "select value, topics from board_values where measure = 'GMAP'"
    assert empty.rows(geometric) == [(pytest.approx(0.25, abs=1e-12), None)]  # topics that are drawn have no such mean


def test_ten_questions_of_the_sql_s_page(warehouse: Warehouse) -> None:
    """Each beside numpy, on a board where another collection changes the winner and one mean contradicts the wins."""
    board: Board = {**made(13, 6, 5), "once": dict(zip(COLUMNS, (0.99, *[0.4] * 4), strict=True))}
    put_board(warehouse, {**board, "odd": {"c0": 0.9}})
    names, values = sorted(board), values_of(board)
    who, lacks, behind, decides, moves, never, undominated, means, simpson, share = (
        warehouse.rows(sql) for _, sql in questions([], on_boards=True)[10:]
    )
    order = np.argsort(-values.mean(1))
    assert [each[3] for each in who] == [names[at] for at in order]
    assert [each[4] for each in who] == pytest.approx(values.mean(1)[order], abs=1e-12)
    assert lacks == [("odd", each) for each in COLUMNS[1:]]
    first = values[order[0]]
    expected = {
        (each, int((values[:, at] > first[at]).sum()) + 1, first[at], first[at] - values[:, at].max())
        for at, each in enumerate(COLUMNS)
        if first[at] < values[:, at].max()
    }
    assert {*behind} == expected
    left = {each: np.delete(values, at, 1).mean(1) for at, each in enumerate(COLUMNS)}
    winners = {each: names[int(np.argmax(left[each]))] for each in COLUMNS}
    assert {each[:2] for each in decides} == {(c, w) for c, w in winners.items() if w != names[order[0]]}
    places = {each: scipy.stats.rankdata(-left[each], method="min") for each in COLUMNS}
    spans = {n: [int(places[each][at]) for each in COLUMNS] for at, n in enumerate(names)}
    assert {each[0]: (each[1], each[3]) for each in moves} == {
        name: (min(span), max(span)) for name, span in spans.items() if len({*span}) > 1
    }
    is_better = values[:, None] > values[None]
    above = np.logical_and((values[:, None] >= values[None]).all(2), is_better.any(2))
    assert dict(never) == {name: int(row.sum()) for name, row in zip(names, above, strict=True) if row.any()}
    assert [each[0] for each in undominated] == [names[at] for at in order if not above[:, at].any()]
    borda = scipy.stats.rankdata(-values, axis=0).mean(1)
    assert {each[0]: each[2] for each in means} == dict(
        zip(names, scipy.stats.rankdata(borda, method="min").tolist(), strict=True)
    )
    wins = is_better.sum(2)
    apart = values.mean(1)[:, None] - values.mean(1)[None]
    contrary = {frozenset((names[a], names[b])) for a, b in np.argwhere((wins - wins.T) * apart < 0)}
    assert {frozenset(each[:2]) for each in simpson} == contrary
    assert contrary
    assert decides
    drawn = values[:, np.random.default_rng(4).integers(5, size=(20_000, 5))].mean(2).argmax(0)
    assert share[0] == (names[order[0]], pytest.approx((drawn == order[0]).mean(), abs=0.03))
