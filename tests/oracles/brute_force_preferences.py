"""Measures of judgment groups and preferences straight from their definitions, and random collections for them."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product

from tests.oracles.brute_force import ranking, single
from tests.random_collections import LEVELS

Levels = dict[str, float]
# Levels by document, by subgroup, by judgment group.
Preferences = dict[str, dict[str, Levels]]
Pair = tuple[str, str]


@dataclass(frozen=True)
class PreferenceCollection:
    """Preferences of each topic, and one run."""

    preferences: dict[str, Preferences]
    run: dict[str, dict[str, float]]

    def rows(self) -> Iterator[tuple[str, str, str, str, float]]:
        for topic, groups in self.preferences.items():
            for group, subgroups in groups.items():
                for subgroup, levels in subgroups.items():
                    for document, level in levels.items():
                        yield topic, group, subgroup, document, level


def preference_collection(seed: int, *, as_qrels: bool = False) -> PreferenceCollection:
    """The collection of that seed. Each group has a hidden order that all of its subgroups keep to.

    ``as_qrels`` gives groups of one subgroup "0" with whole levels, some of them negative.
    """
    chance = random.Random(seed)
    documents = [f"d{number}" for number in range(chance.choice((3, 6, 12, 30)))]
    preferences: dict[str, Preferences] = {}
    run: dict[str, dict[str, float]] = {}
    for topic in (f"q{number}" for number in range(chance.randint(1, 4))):
        groups = [f"g{number}" for number in range(chance.choice((1, 1, 2, 3)))]
        preferences[topic] = {group: _group(chance, documents, as_qrels) for group in groups}
        if chance.random() > 0.15 or not run:
            retrieved = chance.sample(documents, chance.randint(1, len(documents)))
            run[topic] = {document: chance.choice(LEVELS) for document in retrieved}
            run[topic]["unjudged"] = chance.choice(LEVELS)
    return PreferenceCollection(preferences, run)


def preferences_below_0(seed: int) -> PreferenceCollection:
    """Topics of groups with several subgroups, in which some levels are below 0."""
    chance = random.Random(seed)
    preferences: dict[str, Preferences] = {}
    run: dict[str, dict[str, float]] = {}
    for topic in (f"q{number}" for number in range(60)):
        documents = [f"d{number}" for number in range(chance.randint(4, 9))]
        preferences[topic] = {}
        for group in (f"g{number}" for number in range(chance.choice((1, 1, 2)))):
            hidden = {document: float(chance.choice((-2, -1, 0, 0, 0, 1, 2))) for document in documents}
            preferences[topic][group] = {
                subgroup: {d: hidden[d] for d in chance.sample(documents, chance.randint(2, len(documents)))}
                for subgroup in map(str, range(chance.choice((1, 2, 3))))
            }
        retrieved = [*chance.sample(documents, chance.randint(1, len(documents))), "unjudged"]
        run[topic] = {document: float(chance.choice((1, 2, 3, 4, 5))) for document in retrieved}
    return PreferenceCollection(preferences, run)


def tied_preferences(seed: int, *, as_qrels: bool, topics: int) -> PreferenceCollection:
    """Topics with short rankings in which few scores stand for many documents."""
    chance = random.Random(seed)
    preferences: dict[str, Preferences] = {}
    run: dict[str, dict[str, float]] = {}
    for topic in (f"q{number}" for number in range(topics)):
        documents = [f"d{number}" for number in range(chance.randint(3, 7))]
        groups = [f"g{number}" for number in range(chance.randint(1, 3))]
        preferences[topic] = {group: _group(chance, documents, as_qrels) for group in groups}
        retrieved = [*chance.sample(documents, chance.randint(2, min(len(documents), 5))), "unjudged"]
        run[topic] = {document: float(chance.choice((1, 2, 2, 3))) for document in retrieved}
    return PreferenceCollection(preferences, run)


def contested_ties(seed: int, topics: int = 20) -> PreferenceCollection:
    """Topics with one tie of five documents, of which groups have orders of their own or compare only some."""
    chance = random.Random(seed)
    preferences: dict[str, Preferences] = {}
    run: dict[str, dict[str, float]] = {}
    for topic in (f"q{number}" for number in range(topics)):
        documents = [f"d{number}" for number in range(5)]
        preferences[topic] = {}
        for group in (f"g{number}" for number in range(chance.randint(2, 5))):
            compared = chance.sample(documents, chance.randint(2, 5))
            preferences[topic][group] = {"0": {document: float(chance.randint(0, 3)) for document in compared}}
        run[topic] = dict.fromkeys(documents, 1.0)
    return PreferenceCollection(preferences, run)


def cut_ties(seed: int, num_groups: int, num_subgroups: int) -> PreferenceCollection:
    """Topics with long ties, in which groups find few documents relevant and more of them not, often the same ones."""
    chance = random.Random(seed)
    preferences: dict[str, Preferences] = {}
    run: dict[str, dict[str, float]] = {}
    for topic in (f"q{number}" for number in range(60)):
        documents = [f"d{number}" for number in range(chance.randint(4, 7))]
        preferences[topic] = {}
        shared = {document: chance.choice((-1, 0, 0, 0, 1, 2)) for document in documents}
        for group in (f"g{number}" for number in range(num_groups)):
            own = {document: chance.choice((0, 0, 1)) for document in documents}
            hidden = shared if chance.random() < 0.8 else own
            preferences[topic][group] = {
                str(number): {
                    document: float(hidden[document])
                    for document in chance.sample(documents, chance.randint(3, len(documents)))
                }
                for number in range(num_subgroups)
            }
        retrieved = [*chance.sample(documents, chance.randint(3, min(len(documents), 5))), "unjudged"]
        run[topic] = {document: float(chance.choice((1, 2, 2, 2))) for document in retrieved}
    return PreferenceCollection(preferences, run)


def paired_ties(seed: int) -> PreferenceCollection:
    """Topics with one tie of three documents and three groups, each of which prefers one document to another."""
    chance = random.Random(seed)
    preferences: dict[str, Preferences] = {}
    for topic in (f"q{number}" for number in range(100)):
        pairs = {f"g{number}": chance.sample(("d0", "d1", "d2"), 2) for number in range(3)}
        preferences[topic] = {group: {"0": {better: 1.0, worse: 0.0}} for group, (better, worse) in pairs.items()}
    return PreferenceCollection(preferences, {topic: dict.fromkeys(("d0", "d1", "d2"), 1.0) for topic in preferences})


def agreed(groups: Preferences, scores: dict[str, float]) -> bool:
    """Whether one order of the tied documents suits all groups: what they prefer together leads in no circle."""
    pairs = {pair for subgroups in groups.values() for pair in stated_or_implied(subgroups)}
    tied = [(a, b) for a, b in pairs if a in scores and b in scores and scores[a] == scores[b]]
    together = {str(number): {better: 1.0, worse: 0.0} for number, (better, worse) in enumerate(tied)}
    return all(better != worse for better, worse in stated_or_implied(together))


def _group(chance: random.Random, documents: list[str], as_qrels: bool) -> dict[str, Levels]:
    highest = chance.choice((1, 2, 5))
    lowest = chance.choice((0, 0, -2)) if as_qrels else 0
    hidden = {document: chance.choice((0, 0, *range(lowest, highest + 1))) for document in documents}
    if chance.random() < 0.1:
        hidden = {document: min(level, 0) for document, level in hidden.items()}
    subgroups = {}
    for number in range(1 if as_qrels else chance.choice((1, 1, 2, 4))):
        compared = chance.sample(documents, chance.randint(1, min(len(documents), chance.choice((2, 4, 30)))))
        # Other numbers in the same order say the same.
        factor = 1 if as_qrels else chance.choice((1, 0.5, 3))
        subgroups[str(number)] = {document: hidden[document] * factor for document in compared}
    return subgroups


def preference_ranking(scores: dict[str, float]) -> list[str]:
    """Documents as trec_eval 9 orders them for preferences: ties by name, ascending."""
    return sorted(scores, key=lambda document: (-single(scores[document]), document))


def stated_or_implied(subgroups: dict[str, Levels]) -> set[Pair]:
    """Pairs (better, worse) of one group, with what follows from them."""
    pairs = {
        (better, worse)
        for levels in subgroups.values()
        for better, worse in product(levels, levels)
        if levels[better] > levels[worse]
    }
    while True:
        more = {(a, d) for a, b in pairs for c, d in pairs if b == c} - pairs
        if not more:
            return pairs
        pairs |= more


class Topic:
    """One topic: its preferences and the places of the documents in one ranking."""

    def __init__(
        self, groups: Preferences, scores: dict[str, float], pairs: dict[str, set[Pair]] | None = None
    ) -> None:
        self.groups, self.scores = groups, scores
        self.pairs = pairs or {group: stated_or_implied(subgroups) for group, subgroups in groups.items()}
        ranked = preference_ranking(scores)
        judged = {d for subgroups in groups.values() for levels in subgroups.values() for d in levels}
        self.retrieved = {document for document in ranked if document in judged}
        # Those not retrieved follow in the order of their names.
        order = [d for d in ranked if d in judged] + sorted(judged - self.retrieved)
        self.place = {document: place for place, document in enumerate(order)}

    def fulfilled(self, pair: Pair) -> bool:
        return pair[0] in self.retrieved and self.place[pair[0]] < self.place[pair[1]]

    def counting(self, group: str, pairs: str) -> list[Pair]:
        least = {"all": 0, "implied": 1, "retrieved": 2}[pairs]
        return [pair for pair in self.pairs[group] if len(self.retrieved & set(pair)) >= least]

    def num_prefs(self) -> float:
        return sum(len(pairs) for pairs in self.pairs.values())

    def num_fulfilled(self, pairs: str) -> float:
        return sum(self.fulfilled(pair) for group in self.groups for pair in self.counting(group, pairs))

    def simple(self, pairs: str) -> float:
        possible = sum(len(self.counting(group, pairs)) for group in self.groups)
        return self.num_fulfilled(pairs) / possible if possible else 0.0

    def by_group(self, pairs: str) -> float:
        shares = []
        for group in self.groups:
            counting = self.counting(group, pairs)
            shares.append(sum(map(self.fulfilled, counting)) / len(counting) if counting else 0.0)
        return sum(shares) / len(shares)

    def by_pair(self, pairs: str) -> float:
        votes: dict[frozenset[str], list[bool]] = {}
        for group in self.groups:
            for pair in self.counting(group, pairs):
                votes.setdefault(frozenset(pair), []).append(self.fulfilled(pair))
        return sum(sum(each) / len(each) for each in votes.values()) / len(votes) if votes else 0.0

    def by_group_r(self, pairs: str) -> float:
        shares = []
        for group in self.groups:
            fulfilled, possible = self._balanced(group, pairs)
            if not possible:
                return 0.0
            shares.append(fulfilled / possible)
        return sum(shares) / len(shares)

    def _balanced(self, group: str, pairs: str) -> tuple[int, int]:
        """Preferences fulfilled and possible with as many documents not relevant as there are relevant ones."""
        subgroups = self.groups[group]
        levels = {document: level for each in subgroups.values() for document, level in each.items()}
        one = len(subgroups) == 1
        relevant = {document for document, level in levels.items() if level > 0}
        others = {document for document, level in levels.items() if level == 0 or (one and level < 0)}
        seen = set(levels) if pairs == "all" else self.retrieved
        surplus = len(relevant & seen) - len(others & seen)
        counting = self.counting(group, pairs)
        if surplus >= 0:
            fulfilled = sum(map(self.fulfilled, counting)) + surplus * len(relevant & self.retrieved)
            return fulfilled, len(counting) + surplus * len(relevant)
        last_level = min(levels.values()) if one else 0.0
        last = sorted((d for d, level in levels.items() if level == last_level), key=self.place.__getitem__)
        kept = last[: len(relevant & seen) if one else len(relevant)]
        dropped = set(last) - set(kept)
        counting = [pair for pair in counting if not dropped & set(pair)]
        if one:
            counting += [pair for pair in product(last, kept) if set(pair) <= seen]
        return sum(map(self.fulfilled, counting)), len(counting)


def ap_groups(topic: Topic, rel: int = 1, judged_only: bool = False) -> float:
    values = []
    for grades, ranked in _by_group(topic, judged_only):
        hits = [rank for rank, document in enumerate(ranked, start=1) if grades.get(document, -1) >= rel]
        relevant = sum(grade >= rel for grade in grades.values())
        values.append(sum(nth / rank for nth, rank in enumerate(hits, start=1)) / relevant if relevant else 0.0)
    return sum(values) / len(values)


def p_groups(topic: Topic, k: int, rel: int = 1, judged_only: bool = False) -> float:
    shares = [
        sum(grades.get(document, -1) >= rel for document in ranked[:k]) / k
        for grades, ranked in _by_group(topic, judged_only)
    ]
    return sum(shares) / len(shares)


def rprec_groups(topic: Topic, multiple: float, rel: int = 1, judged_only: bool = False) -> float:
    shares = []
    for grades, ranked in _by_group(topic, judged_only):
        cutoff = int(multiple * sum(grade >= rel for grade in grades.values()) + 0.9)
        found = sum(grades.get(document, -1) >= rel for document in ranked[:cutoff])
        shares.append(found / cutoff if cutoff else 0.0)
    return sum(shares) / len(shares)


def _by_group(topic: Topic, judged_only: bool) -> Iterator[tuple[Levels, list[str]]]:
    """Grades of each group, and the ranking, without what the group has not judged if that is wanted."""
    for subgroups in topic.groups.values():
        (grades,) = subgroups.values()
        yield grades, [d for d in ranking(topic.scores) if not judged_only or grades.get(d, -1) >= 0]


SETS = ("all", "implied", "retrieved")
PREFERENCES: dict[str, Callable[[Topic], float]] = {
    "NumPrefs": Topic.num_prefs,
    **{f"NumPrefsFulfilled(pairs='{pairs}')": partial(Topic.num_fulfilled, pairs=pairs) for pairs in SETS[::2]},
    **{f"PrefsSimple(pairs='{pairs}')": partial(Topic.simple, pairs=pairs) for pairs in SETS},
    **{f"PrefsGroup(pairs='{pairs}')": partial(Topic.by_group, pairs=pairs) for pairs in SETS},
    **{f"PrefsPair(pairs='{pairs}')": partial(Topic.by_pair, pairs=pairs) for pairs in SETS},
    **{f"PrefsGroupR(pairs='{pairs}')": partial(Topic.by_group_r, pairs=pairs) for pairs in SETS[::2]},
}
# Measures of which the worst, the best and the expected value over all orders of tied documents are known, by what
# judgments they are tried on; and those of which they are known for some topics.
TIED: dict[str, dict[str, Callable[[Topic], float]]] = {
    "preferences": {
        name: value for name, value in PREFERENCES.items() if name != "NumPrefs" and not name.startswith("PrefsGroupR")
    },
    "groups": {
        name: function
        for only in (False, True)
        for name, function in {
            f"AP_groups(judged_only={only})": partial(ap_groups, judged_only=only),
            f"AP_groups(rel=2,judged_only={only})": partial(ap_groups, rel=2, judged_only=only),
            f"P_groups(judged_only={only})@1": partial(p_groups, k=1, judged_only=only),
            f"P_groups(judged_only={only})@2": partial(p_groups, k=2, judged_only=only),
            f"Rprec_groups(judged_only={only})": partial(rprec_groups, multiple=1.0, judged_only=only),
            f"Rprec_groups(judged_only={only})@0.6": partial(rprec_groups, multiple=0.6, judged_only=only),
        }.items()
    },
    "partly known": {name: value for name, value in PREFERENCES.items() if name.startswith("PrefsGroupR")},
}
