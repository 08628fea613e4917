"""Judgments by groups and preferences: loading them, and their measures against plain loops."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import pytest

import evalsql
from evalsql import InputError, UsageError, Warehouse
from evalsql.catalog.measure_names import parse_measures, tie_variants
from tests.conftest import FIXTURES, Command, new_warehouse, write
from tests.long_cases import first_of_each
from tests.measures.tied import compare_orders, orders
from tests.measures.topic_values import values_by_run
from tests.oracles.brute_force_preferences import PREFERENCES as PREFERENCE_MEASURES
from tests.oracles.brute_force_preferences import (
    TIED,
    PreferenceCollection,
    Topic,
    agreed,
    ap_groups,
    contested_ties,
    cut_ties,
    p_groups,
    paired_ties,
    preference_collection,
    preferences_below_0,
    rprec_groups,
    tied_preferences,
)

SEEDS = range(100)
PREFERENCES = (FIXTURES / "preferences" / "prefs.txt").read_text()
Collections = Mapping[str, PreferenceCollection]


def together(*, as_qrels: bool) -> PreferenceCollection:
    """The collections of all seeds as one, their topics told apart by the seed."""
    preferences: dict[str, Any] = {}
    run: dict[str, Any] = {}
    for seed in SEEDS:
        one = preference_collection(seed, as_qrels=as_qrels)
        preferences |= {f"{seed}-{topic}": groups for topic, groups in one.preferences.items()}
        run |= {f"{seed}-{topic}": scores for topic, scores in one.run.items()}
    return PreferenceCollection(preferences, run)


def load(warehouse: Warehouse, folder: Path, form: str, collections: Collections) -> None:
    """Load judgments by name and a run of each collection, which all of them evaluate."""
    for name, collection in collections.items():
        rows = [
            f"{topic} {group} {subgroup} {document} {level}\n"
            if form == "preferences"
            else f"{topic} {group} {document} {level:.0f}\n"
            for topic, group, subgroup, document, level in collection.rows()
        ]
        warehouse.load_qrels(write(folder / f"{name}.txt", "".join(rows)), name, form=form)
    for name, collection in collections.items():
        warehouse.load_run(collection.run, f"run of {name}", qrels=[*collections])


# By name the form of the judgments; levels below 0 in several subgroups, in two judgment sets of the same topics.
LOADED: dict[str, tuple[str, Callable[[], Collections]]] = {
    "preferences": ("preferences", lambda: {"q": together(as_qrels=False)}),
    "groups": ("groups", lambda: {"q": together(as_qrels=True)}),
    "below 0": ("preferences", lambda: {"one": preferences_below_0(1), "other": preferences_below_0(2)}),
}


@pytest.fixture(scope="module", params=LOADED)
def loaded(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Warehouse, Collections]]:
    form, make = LOADED[request.param]
    with new_warehouse() as warehouse:
        load(warehouse, tmp_path_factory.mktemp("preferences"), form, make())
        yield warehouse, make()


def by_loops(collections: Collections, value: Callable[[Topic], float]) -> dict[tuple[str, str, str], float]:
    """Values by judgment set, run and topic."""
    return {
        (qrels, f"run of {run}", topic): value(Topic(judged, retrieved.run.get(topic, {})))
        for qrels, collection in collections.items()
        for run, retrieved in collections.items()
        for topic, judged in collection.preferences.items()
    }


@pytest.mark.parametrize("measure", first_of_each(PREFERENCE_MEASURES, 1))
def test_measures_of_preferences_equal_plain_loops(loaded: tuple[Warehouse, Collections], measure: str) -> None:
    warehouse, collections = loaded
    expected = by_loops(collections, PREFERENCE_MEASURES[measure])
    assert values_by_run(warehouse, measure) == pytest.approx(expected, abs=1e-12)
    assert len(set(expected.values())) > 10


@pytest.mark.parametrize("loaded", ["groups"], indirect=True)
@pytest.mark.parametrize("rel", [1, 2])
@pytest.mark.parametrize("judged_only", [False, True])
def test_measures_of_groups_equal_plain_loops(
    loaded: tuple[Warehouse, Collections], rel: int, judged_only: bool
) -> None:
    warehouse, collections = loaded
    given: dict[str, Any] = {"rel": rel, "judged_only": judged_only}
    options = f"rel={rel},judged_only={judged_only}"
    for measure, function in (
        (f"AP_groups({options})", partial(ap_groups, **given)),
        *((f"P_groups({options})@{k}", partial(p_groups, k=k, **given)) for k in (1, 4, 50)),
        *((f"Rprec_groups({options})@{x}", partial(rprec_groups, multiple=x, **given)) for x in (0.1, 0.4, 1.0, 1.7)),
    ):
        expected = by_loops(collections, function)
        assert values_by_run(warehouse, measure) == pytest.approx(expected, abs=1e-12), measure
        assert any(expected.values())


class Tied(NamedTuple):
    """A collection with ties, the measures it is for, the form of its judgments, and what may be unknown of it."""

    measures: str
    form: str
    collection: PreferenceCollection
    in_subgroups: bool = False


TIES = {
    "preferences": Tied("preferences", "preferences", tied_preferences(7, as_qrels=False, topics=80)),
    "preferences of groups": Tied("preferences", "groups", tied_preferences(7, as_qrels=True, topics=80)),
    "contested": Tied("preferences", "preferences", contested_ties(2)),
    "groups": Tied("groups", "groups", tied_preferences(7, as_qrels=True, topics=160)),
    "contested groups": Tied("groups", "groups", contested_ties(5)),
    "one group": Tied("partly known", "preferences", cut_ties(1, 1, 1)),
    "several groups": Tied("partly known", "preferences", cut_ties(2, 3, 1)),
    "contested, partly known": Tied("partly known", "preferences", contested_ties(2, topics=60)),
    "pairs": Tied("partly known", "preferences", paired_ties(1)),
    "subgroups": Tied("partly known", "preferences", cut_ties(3, 1, 2), in_subgroups=True),
    "groups of subgroups": Tied("partly known", "preferences", cut_ties(4, 2, 2), in_subgroups=True),
}
MORE_TIES = {
    "contested": Tied("preferences", "preferences", contested_ties(3, topics=80)),
    "contested groups": Tied("groups", "groups", contested_ties(6, topics=80)),
    "preferences": Tied("preferences", "preferences", tied_preferences(8, as_qrels=False, topics=300)),
    "preferences of groups": Tied("preferences", "groups", tied_preferences(8, as_qrels=True, topics=300)),
    "groups": Tied("groups", "groups", tied_preferences(8, as_qrels=True, topics=300)),
}


@pytest.mark.parametrize(
    "tied",
    [
        *(pytest.param(tied, id=name) for name, tied in TIES.items()),
        *(pytest.param(tied, id=f"more {name}", marks=pytest.mark.long) for name, tied in MORE_TIES.items()),
    ],
)
def test_ties_in_every_permutation(empty: Warehouse, tmp_path: Path, tied: Tied) -> None:
    load(empty, tmp_path, tied.form, {"q": tied.collection})
    preferences, run = tied.collection.preferences, tied.collection.run
    pairs = {topic: Topic(judged, {}).pairs for topic, judged in preferences.items()}
    tried = {
        topic: [Topic(judged, order, pairs[topic]) for order in orders(run[topic])]
        for topic, judged in preferences.items()
    }
    unknown: list[str] = []
    if tied.measures == "partly known":
        unknown = [
            topic for topic, judged in preferences.items() if tied.in_subgroups or not agreed(judged, run[topic])
        ]
    for name, function in TIED[tied.measures].items():
        assert list(tie_variants(parse_measures([name], empty.catalog)[0])) == ["worst", "best", "expected"]
        found = {topic: [function(each) for each in every] for topic, every in tried.items()}
        differing = 7 if unknown else 10
        compare_orders(empty, name, found, unknown=unknown, unknown_mean=tied.in_subgroups, differing=differing)


def test_contested_ties_hold_circles(empty: Warehouse, tmp_path: Path) -> None:
    """What the test above is good for."""
    load(empty, tmp_path, "preferences", {"q": contested_ties(2)})
    for unit in ("one", "share", "group"):
        losses = empty.rows(f"select loss from steps.preference_losses(unit := '{unit}')")
        assert sum(loss > 0 for (loss,) in losses) > 3, unit


def test_a_long_circle_of_preferences_is_solved_and_a_longer_one_is_not_known(command: Command, tmp_path: Path) -> None:
    """Each group prefers a document to the next: all but one of n are fulfilled at best, one at worst."""
    text, run = "", ""
    for topic, size in (("long", 14), ("longer", 15)):
        for at in range(size):
            text += f"{topic} g{at} d{at:02} 1\n{topic} g{at} d{(at + 1) % size:02} 0\n"
            run += f"{topic} Q0 d{at:02} 1 1 x\n"
    write(tmp_path / "prefs.txt", text)
    write(tmp_path / "tied.run", run)
    write(tmp_path / "none.run", "other Q0 a 1 1 x\n")
    command("load", "qrels", "prefs.txt", "--form", "preferences")
    command("load", "runs", "tied.run", "none.run")
    with evalsql.open(tmp_path / "evalsql.duckdb", read_only=True) as warehouse:
        for ties, known in (("worst", 1.0), ("best", 13.0), ("expected", 7.0)):
            found = dict(
                warehouse.rows(f"select topic, value from num_prefs_fulfilled(ties := '{ties}') where run = 'tied'")
            )
            assert found == {"long": known, "longer": 7.5 if ties == "expected" else None}, ties
    done = command("ties", "-m", "NumPrefsFulfilled P@1", "--format", "csv")
    assert "prefs,tied,NumPrefsFulfilled,27.0,,14.5," in done.stdout
    assert "prefs,none,NumPrefsFulfilled,0.0,0.0,0.0,0.0" in done.stdout
    assert "NumPrefsFulfilled: of 1 pair of runs not known whether the order could be another: tied\n" in done.stderr
    assert "by P@1 under no order" in done.stderr
    assert done.returncode == 0


def test_groups_of_which_each_finds_other_documents(empty: Warehouse, tmp_path: Path) -> None:
    """So many sets of documents are tried, and no more; the best order is looked for here by plain recursion."""
    text, run = "", {}
    for topic, size in (("many", 9), ("more", 10)):
        documents = {f"{group}{at}": group for group in "abc" for at in range(size)}
        text += "".join(f"{topic} {group} {document} 1\n" for document, group in documents.items())
        text += "".join(f"{topic} a missing{at} 1\n" for at in range(5))
        run[topic] = dict.fromkeys([*documents, "x", "y"], 1.0)
    empty.load_qrels(write(tmp_path / "q.txt", text), form="groups")
    empty.load_run(run, "system")

    @cache
    def total(above: tuple[int, int, int], place: int, pick: Callable[[Iterable[float]], float]) -> float:
        kinds = [kind for kind in range(3) if above[kind] < 9]
        return (
            pick(
                (above[kind] + 1) / place / (14 if kind == 0 else 9) / 3
                + total(tuple(n + (k == kind) for k, n in enumerate(above)), place + 1, pick)
                for kind in kinds
            )
            if kinds
            else 0.0
        )

    for ties, place, pick in (("worst", 3, min), ("best", 1, max)):
        found = dict(empty.rows(f"select topic, value from ap_groups(ties := '{ties}')"))
        assert found == {"many": pytest.approx(total((0, 0, 0), place, pick), abs=1e-12), "more": None}, ties
    assert all(value is not None for _, value in empty.rows("select topic, value from p_groups(ties := 'best')"))


def test_a_check_says_what_is_not_known(command: Command, tmp_path: Path) -> None:
    write(tmp_path / "prefs.txt", "t g a 1\nt g b 0\n")
    write(tmp_path / "upper.run", "t Q0 a 1 2 x\nt Q0 b 2 1 x\n")
    write(tmp_path / "tied.run", "t Q0 b 1 1 x\nt Q0 a 2 1 x\n")
    command("load", "qrels", "prefs.txt", "--form", "preferences")
    command("load", "runs", "upper.run", "tied.run")
    done = command("ties", "-m", "PrefsSimple NumPrefs IPrec@0.5", "tied", "--format", "csv")
    assert done.stdout.splitlines() == [
        "qrels,run,measure,value,worst,expected,best",
        "prefs,tied,IPrec@0.5,0.5,0.5,,1.0",
        "prefs,tied,PrefsSimple,1.0,0.0,0.5,1.0",
    ]
    assert done.returncode == 0
    assert "not a question of ties, or not known: NumPrefs" in done.stderr
    assert "pairs of runs" not in done.stderr
    assert command("ties", "-m", "PrefsSimple").returncode == 0


def test_four_columns_are_five_with_subgroup_0(empty: Warehouse, tmp_path: Path) -> None:
    four = "topic group document level\nt1 g a 1.5\nt1 g b 0\n\n# a comment\nt1 h b 2e0\n"
    five = "t1 g 0 a 1.5\r\nt1\tg  0 b 0\r\nt1 h 0 b 2\r\n"
    for name, text in (("four", four), ("five", five)):
        empty.load_qrels(write(tmp_path / name, text), form="preferences")
        assert empty.rows(
            """
            select topic, judgment_group, subgroup, document, level
            from preferences join qrels using (qrels_id) join topics using (topic_id) join documents using (document_id)
            where qrels = ? order by all
            """,
            [name],
        ) == [("t1", "g", "0", "a", 1.5), ("t1", "g", "0", "b", 0.0), ("t1", "h", "0", "b", 2.0)]
    assert empty.rows("select qrels, form, comments from qrels order by 1 desc") == [
        ("four", "preferences", "topic group document level\n# a comment"),
        ("five", "preferences", ""),
    ]
    assert empty.rows("select name, num_topics, num_rows from holdings order by 1") == [("five", 1, 3), ("four", 1, 3)]
    assert empty.rows(
        "select document, grade from judged_documents join documents using (document_id) order by all"
    ) == [
        *[("a", 1)] * 2,
        *[("b", 1)] * 2,
    ]


def test_groups_may_disagree_and_what_follows_counts(empty: Warehouse, tmp_path: Path) -> None:
    text = "t g 1 a 2\nt g 1 b 1\nt g 2 b 2\nt g 2 c 1\nt g 3 c 5\nt g 3 d 4\nt h 1 d 2\nt h 1 a 1\n"
    empty.load_qrels(write(tmp_path / "q.txt", text), form="preferences")
    names = "select document from documents where document_id = "
    assert empty.rows(
        f"select judgment_group, ({names} better_id), ({names} worse_id) from steps.preference_pairs order by all"
    ) == [
        *(("g", better, worse) for better, worse in ("ab", "ac", "ad", "bc", "bd", "cd")),
        ("h", "d", "a"),
    ]


def test_a_document_is_judged_once_in_each_group(empty: Warehouse, tmp_path: Path) -> None:
    text = "t 1 a 0\nt 2 a 2\nt 1 b 1\n"
    with pytest.raises(InputError, match=r"q.txt:2: document a of topic t is already judged at line 1, .* form groups"):
        empty.load_qrels(write(tmp_path / "q.txt", text))
    empty.load_qrels(tmp_path / "q.txt", form="groups")
    assert empty.rows("select form, num_rows from qrels join holdings on name = qrels.qrels") == [("groups", 3)]
    judged = """
        select document, grade from judged_documents
        join documents using (document_id) join qrels using (qrels_id) where qrels = 'q' order by all
    """
    assert empty.rows(judged) == [("a", 2), ("b", 1)]
    write(tmp_path / "q.txt", text + "t 2 a 3\n")
    with pytest.raises(
        InputError, match=r"q.txt:4: document a of topic t is already judged by group 2 at line 2\nnothing"
    ):
        empty.load_qrels(tmp_path / "q.txt", form="groups", replace=True)
    empty.load_qrels(tmp_path / "q.txt", form="groups", replace=True, keep_best=True)
    assert empty.rows(
        "select iteration, grade, duplicates from assessments join qrels using (qrels_id) "
        "where qrels = 'q' order by all"
    ) == [
        *(("1", 0, 1), ("1", 1, 1), ("2", 3, 1)),
    ]
    assert empty.rows(judged) == [("a", 3), ("b", 1)]


def test_forms_and_options_that_do_not_fit_are_refused(empty: Warehouse, tmp_path: Path) -> None:
    path = write(tmp_path / "q.txt", PREFERENCES)
    with pytest.raises(UsageError, match="form stars is unknown; there are: grades, groups, preferences"):
        empty.load_qrels(path, form="stars")
    with pytest.raises(UsageError, match="of repeated preferences none is the best one"):
        empty.load_qrels(path, form="preferences", keep_best=True)


def test_replaced_preferences_are_apart_from_what_took_their_place(empty: Warehouse, tmp_path: Path) -> None:
    path = write(tmp_path / "q.txt", PREFERENCES)
    empty.load_qrels(path, form="preferences")
    empty.load_runs(FIXTURES / "preferences" / "runs" / "system.run")
    write(path, "t 0 a 1\n")
    empty.load_qrels(path, replace=True)
    held = "from preferences join qrels using (qrels_id)"
    assert empty.rows(f"select distinct qrels {held}") == [("q@1",)]
    judged = "from judged_documents join topics using (topic_id) join qrels using (qrels_id)"
    assert empty.rows(f"select topic, grade {judged} where qrels = 'q'") == [("t", 1)]
    assert empty.rows("select topic, value from prefs_simple where qrels = 'q'") == [("t", 0.0)]


def test_frames_hold_groups_and_preferences(empty: Warehouse, tmp_path: Path) -> None:
    rows = [line.split() for line in PREFERENCES.splitlines()[1:]]
    frame = pd.DataFrame(rows, columns=["query_id", "group", "subgroup", "doc_id", "level"])
    frame["level"] = frame["level"].astype(float)
    empty.load_qrels(write(tmp_path / "file.txt", PREFERENCES), form="preferences")
    empty.load_qrels(frame, "frame", form="preferences")
    content = "select judgment_group, subgroup, document_id, level from preferences join qrels using (qrels_id)"
    expected = empty.rows(f"{content} where qrels = 'file' order by all")
    assert empty.rows(f"{content} where qrels = 'frame' order by all") == expected
    with pytest.raises(InputError, match=r"bad:21: document a of topic p1 in group anna stands in subgroup 0 already"):
        empty.load_qrels(pd.concat([frame, frame.head(1)]), "bad", form="preferences")
    frame.loc[1, "level"] = float("inf")
    with pytest.raises(InputError, match=r"bad:2: level .inf. is not a number"):
        empty.load_qrels(frame, "bad", form="preferences")
    with pytest.raises(UsageError, match="there is no column for the group"):
        empty.load_qrels({"t": {"a": 1}}, "bad", form="preferences")
    judged = pd.DataFrame({"qid": ["t", "t"], "iteration": ["1", "2"], "docno": ["a", "a"], "grade": [0, 1]})
    with pytest.raises(
        InputError, match="groups:2: document a of topic t is already judged at row 1, with iteration 1"
    ):
        empty.load_qrels(judged, "groups")
    empty.load_qrels(judged, "groups", form="groups")
    assert empty.rows("select iteration, grade from assessments order by all") == [("1", 0), ("2", 1)]


def test_the_command_line_takes_the_form(command: Command, tmp_path: Path) -> None:
    write(tmp_path / "prefs.txt", PREFERENCES)
    done = command("load", "qrels", "prefs.txt", "--form", "preferences")
    assert (done.returncode, done.stdout) == (0, "")
    assert "loaded judgments prefs: 20 judgments of 4 topics" in done.stderr
    done = command("load", "qrels", "prefs.txt", "--name", "again", "--form", "preferences", "--keep-best")
    assert done.returncode == 2
    assert "none is the best one" in done.stderr
