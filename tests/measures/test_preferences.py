"""Judgments by groups and preferences: loading them, and their measures against plain loops."""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pandas as pd
import pytest

import evalsql
from evalsql import InputError, UsageError, Warehouse
from evalsql.catalog.measure_names import parse_measures, tie_variants
from evalsql.evaluation import notices
from tests.conftest import FIXTURES, Command, module_warehouse, write
from tests.long_cases import few_of, first_of_each
from tests.measures.tied import compare_orders, orders
from tests.measures.topic_values import values
from tests.oracles import brute_force_preferences as plain
from tests.oracles.by_name import value_of

PREFERENCES = (FIXTURES / "preferences" / "prefs.txt").read_text()
PAIRS, TWO_OF_THESE = ("all", "implied", "retrieved"), ("all", "retrieved")
PARTLY_KNOWN = [f"PrefsGroupR(pairs='{pairs}')" for pairs in TWO_OF_THESE]
OF_PREFERENCES = [
    *(f"NumPrefsFulfilled(pairs='{pairs}')" for pairs in TWO_OF_THESE),
    *(f"{name}(pairs='{pairs}')" for name in ("PrefsSimple", "PrefsGroup", "PrefsPair") for pairs in PAIRS),
]
JUDGED = ("judged_only=false", "judged_only=true")
OF_GROUPS = [
    name.format(f"rel={rel},{only}")
    for name in (
        *("AP_groups({})", "P_groups({})@1", "P_groups({})@4", "P_groups({})@50"),
        *(f"Rprec_groups({{}})@{multiple}" for multiple in (0.1, 0.4, 1.0, 1.7)),
    )
    for only in JUDGED
    for rel in (1, 2)
]
TIED_OF_GROUPS = [
    name.format(only)
    for name in ("AP_groups({})", "P_groups({})@1", "P_groups({})@2", "Rprec_groups({})@0.6", "Rprec_groups({})@1.0")
    for only in JUDGED
]
TIED_MEASURES = [*OF_PREFERENCES, *PARTLY_KNOWN, *TIED_OF_GROUPS]


class Judgments(NamedTuple):
    """A collection, the form of its judgments, and of those with ties the measures that it is for and what may be
    unknown of it."""

    form: str
    collection: plain.PreferenceCollection
    measures: str = ""
    in_subgroups: bool = False


def load(warehouse: Warehouse, sets: Mapping[str, Judgments]) -> None:
    """Load judgment sets, each with a run that has its name."""
    with TemporaryDirectory() as folder:
        for name, one in sets.items():
            rows = [
                f"{topic} {group} {subgroup} {document} {level}\n"
                if one.form == "preferences"
                else f"{topic} {group} {document} {level:.0f}\n"
                for topic, group, subgroup, document, level in one.collection.rows()
            ]
            warehouse.load_qrels(write(Path(folder) / "q.txt", "".join(rows)), name, form=one.form)
            warehouse.load_run(one.collection.run, name, qrels=[name])


@cache
def random_sets() -> dict[str, Judgments]:
    """Levels below 0 are in several subgroups, in two judgment sets of the same topics."""
    return {
        "preferences": Judgments("preferences", plain.preference_collection(0, topics=250)),
        "groups": Judgments("groups", plain.preference_collection(0, as_qrels=True, topics=250)),
        "one": Judgments("preferences", plain.preferences_below_0(1)),
        "other": Judgments("preferences", plain.preferences_below_0(2)),
    }


@cache
def random_topics() -> dict[tuple[str, str, str], plain.PreferredTopic]:
    """By judgment set, run and topic; two of the runs are evaluated with two judgment sets."""
    sets = random_sets()
    pairs = [(name, name) for name in sets] + [("one", "other"), ("other", "one")]
    return {
        (qrels, run, topic): plain.PreferredTopic(judged, sets[run].collection.run.get(topic, {}))
        for qrels, run in pairs
        for topic, judged in sets[qrels].collection.preferences.items()
    }


def load_random(warehouse: Warehouse) -> None:
    load(warehouse, random_sets())
    for name in ("one", "other"):
        run = random_sets()[name].collection.run
        warehouse.load_run(run, name, qrels=["one", "other"], replace=True)


loaded = module_warehouse(load_random)


@pytest.mark.parametrize("measure", first_of_each(["NumPrefs", *OF_PREFERENCES, *PARTLY_KNOWN], 1))
def test_measures_of_preferences_equal_plain_loops(loaded: Warehouse, measure: str) -> None:
    expected = {key: value_of(measure)(topic) for key, topic in random_topics().items()}
    assert values(loaded, measure, "qrels, run, topic") == pytest.approx(expected, abs=1e-12)
    assert len(set(expected.values())) > 10


@pytest.mark.parametrize("measure", first_of_each(OF_GROUPS, 2))
def test_measures_of_groups_equal_plain_loops(loaded: Warehouse, measure: str) -> None:
    expected = {key: value_of(measure)(topic) for key, topic in random_topics().items() if key[0] == "groups"}
    found = values(loaded, measure, "qrels, run, topic")
    assert {key: found[key] for key in expected} == pytest.approx(expected, abs=1e-12)
    assert any(expected.values())


def tied_sets(seed: int, topics: int) -> dict[str, Judgments]:
    return {
        "preferences": Judgments(
            "preferences", plain.tied_preferences(seed, as_qrels=False, topics=topics), "preferences"
        ),
        "in groups": Judgments("groups", plain.tied_preferences(seed, as_qrels=True, topics=topics), "preferences"),
        "contested": Judgments("preferences", plain.contested_ties(seed, topics=30), "preferences"),
        "groups": Judgments("groups", plain.tied_preferences(seed, as_qrels=True, topics=2 * topics), "groups"),
        "contested groups": Judgments("groups", plain.contested_ties(seed + 1), "groups"),
        "one group": Judgments("preferences", plain.cut_ties(1, 1, 1), "partly known"),
        "several groups": Judgments("preferences", plain.cut_ties(2, 3, 1), "partly known"),
        "contested, partly known": Judgments("preferences", plain.contested_ties(2, topics=60), "partly known"),
        "pairs": Judgments("preferences", plain.paired_ties(1), "partly known"),
        "subgroups": Judgments("preferences", plain.cut_ties(3, 1, 2), "partly known", in_subgroups=True),
        "groups of subgroups": Judgments("preferences", plain.cut_ties(4, 2, 2), "partly known", in_subgroups=True),
    }


TIES, MORE_TIES = tied_sets(4, 40), tied_sets(8, 300)


class Orders(NamedTuple):
    """By judgment set and topic every order, and the topics of which worst and best, and the mean, may be unknown."""

    tried: dict[tuple[str, str], list[plain.PreferredTopic]]
    unknown: set[tuple[str, str]]
    unknown_mean: set[tuple[str, str]]


@cache
def every_order(measures: str, more: bool) -> Orders:
    found = Orders({}, set(), set())
    for name, one in (MORE_TIES if more else TIES).items():
        for topic, judged in one.collection.preferences.items() if one.measures == measures else ():
            scores, pairs = one.collection.run[topic], plain.PreferredTopic(judged, {}).pairs
            found.tried[name, topic] = [plain.PreferredTopic(judged, order, pairs) for order in orders(scores)]
            if one.in_subgroups:
                found.unknown_mean.add((name, topic))
            if measures == "partly known" and (one.in_subgroups or not plain.agreed(judged, scores)):
                found.unknown.add((name, topic))
    return found


tied = module_warehouse(lambda warehouse: load(warehouse, TIES))
more_tied = module_warehouse(lambda warehouse: load(warehouse, MORE_TIES))


@pytest.mark.parametrize("warehouse", ["tied", pytest.param("more_tied", marks=pytest.mark.long)])
@pytest.mark.parametrize(
    ("measures", "name"),
    [
        *few_of((("preferences", name) for name in OF_PREFERENCES[::-1]), 1),
        *few_of((("groups", name) for name in TIED_OF_GROUPS), 1),
        *few_of((("partly known", name) for name in PARTLY_KNOWN), 1),
    ],
)
def test_ties_in_every_permutation(request: pytest.FixtureRequest, warehouse: str, measures: str, name: str) -> None:
    opened: Warehouse = request.getfixturevalue(warehouse)
    assert list(tie_variants(parse_measures([name], opened.catalog)[0])) == ["worst", "best", "expected"]
    tried, unknown, unknown_mean = every_order(measures, warehouse == "more_tied")
    found = {key: list(map(value_of(name), every)) for key, every in tried.items()}
    compare_orders(opened, name, found, unknown=unknown, unknown_mean=unknown_mean, differing=10, keys="qrels, topic")


def test_contested_ties_hold_circles(tied: Warehouse) -> None:
    """What the test above is good for."""
    of_sets = "join steps.evaluated_topics using (evaluation_id) where qrels = 'contested'"
    for unit in ("one", "share", "group"):
        losses = tied.rows(f"select loss from steps.preference_losses(unit := '{unit}') {of_sets}")
        assert sum(loss > 0 for (loss,) in losses) > 3, unit


@pytest.mark.long
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
    assert "NumPrefsFulfilled: it is not known whether tied documents decide 1 pair of runs: tied\n" in done.stderr
    assert "P@1: no order of tied documents" in done.stderr
    assert done.returncode == 0


def test_of_runs_with_ties_one_whose_span_is_not_known_is_not_the_widest(empty: Warehouse, tmp_path: Path) -> None:
    circle = {f"d{at:02}": f"d{(at + 1) % 15:02}" for at in range(15)}
    text = "".join(f"long {better} {better} 1\nlong {better} {worse} 0\n" for better, worse in circle.items())
    text += "".join(f"{topic} g a 1\n{topic} g b 0\n" for topic in ("s", "t"))
    empty.load_qrels(write(tmp_path / "prefs.txt", text), form="preferences")
    empty.load_run({"long": dict.fromkeys(circle, 1.0)}, "unknown")
    empty.load_run({topic: {"a": 1.0, "b": 1.0} for topic in ("s", "t")}, "tied")
    empty.load_run({"s": {"a": 2.0, "b": 1.0}, "t": {"a": 1.0, "b": 2.0}}, "sure")
    (measure,) = parse_measures(["NumPrefsFulfilled"], empty.catalog)
    told = notices.on_ties(empty.evaluation, measure, (), ()) or ""
    assert told.startswith("ties: tied lies between 0.0000 and 2.0000 on NumPrefsFulfilled, the widest span; 1 pair of")


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


@pytest.mark.long
def test_a_check_says_what_is_not_known(command: Command, tmp_path: Path) -> None:
    write(tmp_path / "prefs.txt", "t g a 1\nt g b 0\n")
    write(tmp_path / "upper.run", "t Q0 a 1 2 x\nt Q0 b 2 1 x\n")
    write(tmp_path / "tied.run", "t Q0 b 1 1 x\nt Q0 a 2 1 x\n")
    done = command("load", "qrels", "prefs.txt", "--form", "preferences")
    assert (done.returncode, done.stdout) == (0, "")
    assert "loaded judgments prefs: 2 judgments of 1 topic" in done.stderr
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
    ) == [*[("a", 1)] * 2, *[("b", 1)] * 2]


def test_groups_may_disagree_and_what_follows_counts(empty: Warehouse, tmp_path: Path) -> None:
    text = "t g 1 a 2\nt g 1 b 1\nt g 2 b 2\nt g 2 c 1\nt g 3 c 5\nt g 3 d 4\nt h 1 d 2\nt h 1 a 1\n"
    empty.load_qrels(write(tmp_path / "q.txt", text), form="preferences")
    names = "select document from documents where document_id = "
    assert empty.rows(
        f"select judgment_group, ({names} better_id), ({names} worse_id) from steps.preference_pairs() order by all"
    ) == [*(("g", better, worse) for better, worse in ("ab", "ac", "ad", "bc", "bd", "cd")), ("h", "d", "a")]


def test_preferences_of_grades_are_counted_without_their_pairs(empty: Warehouse, tmp_path: Path) -> None:
    """Of 40 documents, of which every fifth is not retrieved; the other topic has a document with two levels."""
    grades = {f"d{at:02}": at * 7 % 4 for at in range(40)}
    run = {document: 100.0 - at * 17 % 40 for at, document in enumerate(grades) if at % 5}
    rows = [f"t 0 {document} {grade}\n" for document, grade in grades.items()]
    empty.load_qrels(write(tmp_path / "q.txt", "".join([*rows, "u 0 a 0\nu 1 a 2\nu 1 b 1\n"])), "q", form="groups")
    empty.load_run({"t": run, "u": {"b": 2.0, "a": 1.0}}, "system")
    listed = (
        "select distinct topic from steps.ranked_preferences(listed := '{}') join evaluations using (evaluation_id)"
    )
    for which, topics in (("all", ["t", "u"]), ("repeated", ["u"])):
        assert empty.rows(f"{listed.format(which)} join topics using (topic_id) order by 1") == [(t,) for t in topics]
    expected = plain.PreferredTopic({"0": {"0": {document: float(grade) for document, grade in grades.items()}}}, run)
    for measure in OF_PREFERENCES:
        found = values(empty, measure, "topic")
        assert found["t"] == pytest.approx(value_of(measure)(expected), abs=1e-12), measure
        assert found["u"] == 0, measure


def test_a_document_is_judged_once_in_each_group(empty: Warehouse, tmp_path: Path) -> None:
    text = "t 1 a 0\nt 2 a 2\nt 1 b 1\n"
    empty.load_qrels(write(tmp_path / "q.txt", text), form="groups")
    assert empty.rows("select form, num_rows from qrels join holdings on name = qrels.qrels") == [("groups", 3)]
    judged = """
        select document, grade from judged_documents
        join documents using (document_id) join qrels using (qrels_id) where qrels = 'q' order by all
    """
    assert empty.rows(judged) == [("a", 2), ("b", 1)]
    write(tmp_path / "q.txt", text + "t 2 a 3\n")
    empty.load_qrels(tmp_path / "q.txt", form="groups", replace=True, keep_best=True)
    assert empty.rows(
        "select iteration, grade, duplicates from assessments join qrels using (qrels_id) "
        "where qrels = 'q' order by all"
    ) == [*(("1", 0, 1), ("1", 1, 1), ("2", 3, 1))]
    assert empty.rows(judged) == [("a", 3), ("b", 1)]


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
