"""Measures of judgment groups and preferences straight from their definitions, and random collections for them."""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from tests.oracles.brute_force import ranking, single, sum_of_precisions
from tests.random_collections import LEVELS

Levels = dict[str, float]
# Levels by document, by subgroup, by judgment group.
Preferences = dict[str, dict[str, Levels]]
Scores = Mapping[str, float]
Pair = tuple[str, str]


@dataclass(frozen=True)
class PreferenceCollection:
    """Preferences of each topic, and one run."""

    preferences: dict[str, Preferences]
    run: dict[str, Scores]

    def rows(self) -> Iterator[tuple[str, str, str, str, float]]:
        for topic, groups in self.preferences.items():
            for group, subgroups in groups.items():
                for subgroup, levels in subgroups.items():
                    for document, level in levels.items():
                        yield topic, group, subgroup, document, level


def _collection(
    seed: int, topics: int, make: Callable[[random.Random], tuple[Preferences, Scores]]
) -> PreferenceCollection:
    """Topics as they are made, of which the run leaves out those without scores."""
    chance = random.Random(seed)
    made = {f"q{number}": make(chance) for number in range(topics)}
    run = {topic: scores for topic, (_, scores) in made.items() if scores}
    return PreferenceCollection({topic: groups for topic, (groups, _) in made.items()}, run)


def _documents(chance: random.Random, least: int, most: int) -> list[str]:
    return [f"d{number}" for number in range(chance.randint(least, most))]


def _scored(chance: random.Random, documents: Sequence[str], least: int, most: int, levels: Sequence[float]) -> Scores:
    """So many of the documents, and one that nobody has judged."""
    retrieved = [*chance.sample(documents, chance.randint(least, min(len(documents), most))), "unjudged"]
    return {document: chance.choice(levels) for document in retrieved}


def preference_collection(seed: int, *, as_qrels: bool = False, topics: int = 3) -> PreferenceCollection:
    """Topics whose groups have a hidden order that all of their subgroups keep to; the run leaves some topics out.

    ``as_qrels`` gives groups of one subgroup "0" with whole levels, some of them negative.
    """

    def make(chance: random.Random) -> tuple[Preferences, Scores]:
        documents = [f"d{number}" for number in range(chance.choice((3, 6, 12, 30)))]
        groups = {f"g{number}": _group(chance, documents, as_qrels) for number in range(chance.choice((1, 1, 2, 3)))}
        return groups, _scored(chance, documents, 1, 30, LEVELS) if chance.random() > 0.15 else {}

    return _collection(seed, topics, make)


def preferences_below_0(seed: int) -> PreferenceCollection:
    """Topics of groups with several subgroups, in which some levels are below 0."""

    def make(chance: random.Random) -> tuple[Preferences, Scores]:
        documents = _documents(chance, 4, 9)
        groups = {}
        for group in range(chance.choice((1, 1, 2))):
            hidden = {document: float(chance.choice((-2, -1, 0, 0, 0, 1, 2))) for document in documents}
            groups[f"g{group}"] = _subgroups(chance, hidden, chance.choice((1, 2, 3)), 2)
        return groups, _scored(chance, documents, 1, 9, (1.0, 2.0, 3.0, 4.0, 5.0))

    return _collection(seed, 60, make)


def _subgroups(chance: random.Random, hidden: Levels, number: int, least: int) -> dict[str, Levels]:
    """Levels of at least so many documents each."""
    return {
        str(nth): {
            document: hidden[document] for document in chance.sample([*hidden], chance.randint(least, len(hidden)))
        }
        for nth in range(number)
    }


def tied_preferences(seed: int, *, as_qrels: bool, topics: int) -> PreferenceCollection:
    """Topics with short rankings in which few scores stand for many documents."""

    def make(chance: random.Random) -> tuple[Preferences, Scores]:
        documents = _documents(chance, 3, 7)
        groups = {f"g{number}": _group(chance, documents, as_qrels) for number in range(chance.randint(1, 3))}
        return groups, _scored(chance, documents, 2, 5, (1.0, 2.0, 2.0, 3.0))

    return _collection(seed, topics, make)


def contested_ties(seed: int, topics: int = 20) -> PreferenceCollection:
    """Topics with one tie of five documents, of which groups have orders of their own or compare only some."""

    def make(chance: random.Random) -> tuple[Preferences, Scores]:
        documents = _documents(chance, 5, 5)
        groups = {}
        for group in range(chance.randint(3, 5)):
            compared = chance.sample(documents, chance.randint(3, 5))
            groups[f"g{group}"] = {"0": {document: float(chance.randint(0, 3)) for document in compared}}
        return groups, dict.fromkeys(documents, 1.0)

    return _collection(seed, topics, make)


def cut_ties(seed: int, num_groups: int, num_subgroups: int) -> PreferenceCollection:
    """Topics with long ties, in which groups find few documents relevant and more of them not, often the same ones."""

    def make(chance: random.Random) -> tuple[Preferences, Scores]:
        documents = _documents(chance, 4, 7)
        shared = {document: float(chance.choice((-1, 0, 0, 0, 1, 2))) for document in documents}
        groups = {}
        for group in range(num_groups):
            own = {document: float(chance.choice((0, 0, 1))) for document in documents}
            groups[f"g{group}"] = _subgroups(chance, shared if chance.random() < 0.8 else own, num_subgroups, 3)
        return groups, _scored(chance, documents, 3, 5, (1.0, 2.0, 2.0, 2.0))

    return _collection(seed, 60, make)


def paired_ties(seed: int) -> PreferenceCollection:
    """Topics with one tie of three documents and three groups, each of which prefers one document to another."""

    def make(chance: random.Random) -> tuple[Preferences, Scores]:
        documents = _documents(chance, 3, 3)
        pairs = [chance.sample(documents, 2) for _ in range(3)]
        groups = {f"g{nth}": {"0": {better: 1.0, worse: 0.0}} for nth, (better, worse) in enumerate(pairs)}
        return groups, dict.fromkeys(documents, 1.0)

    return _collection(seed, 100, make)


def agreed(groups: Preferences, scores: Scores) -> bool:
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


def preference_ranking(scores: Scores) -> list[str]:
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


class PreferredTopic:
    """One topic: its preferences and the places of the documents in one ranking."""

    def __init__(self, groups: Preferences, scores: Scores, pairs: dict[str, set[Pair]] | None = None) -> None:
        self.groups, self.scores = groups, scores
        self.pairs = pairs or {group: stated_or_implied(subgroups) for group, subgroups in groups.items()}
        ranked = preference_ranking(scores)
        judged = {d for subgroups in groups.values() for levels in subgroups.values() for d in levels}
        self.retrieved = judged & scores.keys()
        # Those not retrieved follow in the order of their names.
        order = [d for d in ranked if d in judged] + sorted(judged - self.retrieved)
        self.place = {document: place for place, document in enumerate(order)}

    def fulfilled(self, pair: Pair) -> bool:
        return pair[0] in self.retrieved and self.place[pair[0]] < self.place[pair[1]]

    def counting(self, pairs: str) -> list[list[Pair]]:
        """Of each group."""
        least = {"all": 0, "implied": 1, "retrieved": 2}[pairs]
        return [[pair for pair in each if len(self.retrieved & set(pair)) >= least] for each in self.pairs.values()]

    def num_fulfilled(self, pairs: Sequence[Pair]) -> int:
        return sum(map(self.fulfilled, pairs))

    def by_group(self, judged_only: bool) -> Iterator[tuple[Levels, list[str]]]:
        """Grades of each group, and the ranking, without what the group has not judged if that is wanted."""
        for subgroups in self.groups.values():
            (grades,) = subgroups.values()
            yield grades, [d for d in ranking(self.scores) if not judged_only or grades.get(d, -1) >= 0]


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def num_prefs(topic: PreferredTopic) -> float:
    return sum(map(len, topic.pairs.values()))


def num_prefs_fulfilled(topic: PreferredTopic, pairs: str) -> float:
    return sum(map(topic.num_fulfilled, topic.counting(pairs)))


def prefs_simple(topic: PreferredTopic, pairs: str) -> float:
    return _share(num_prefs_fulfilled(topic, pairs), sum(map(len, topic.counting(pairs))))


def prefs_group(topic: PreferredTopic, pairs: str) -> float:
    return sum(_share(topic.num_fulfilled(each), len(each)) for each in topic.counting(pairs)) / len(topic.groups)


def prefs_pair(topic: PreferredTopic, pairs: str) -> float:
    votes: dict[frozenset[str], list[bool]] = {}
    for pair in (pair for each in topic.counting(pairs) for pair in each):
        votes.setdefault(frozenset(pair), []).append(topic.fulfilled(pair))
    return _share(sum(sum(each) / len(each) for each in votes.values()), len(votes))


def prefs_group_r(topic: PreferredTopic, pairs: str) -> float:
    balanced = [
        _balanced(topic, subgroups, counting, pairs)
        for subgroups, counting in zip(topic.groups.values(), topic.counting(pairs), strict=True)
    ]
    if not all(possible for _, possible in balanced):
        return 0.0
    return sum(fulfilled / possible for fulfilled, possible in balanced) / len(balanced)


def _balanced(topic: PreferredTopic, subgroups: dict[str, Levels], counting: list[Pair], pairs: str) -> tuple[int, int]:
    """Preferences fulfilled and possible with as many documents not relevant as there are relevant ones."""
    levels = {document: level for each in subgroups.values() for document, level in each.items()}
    one = len(subgroups) == 1
    relevant = {document for document, level in levels.items() if level > 0}
    others = {document for document, level in levels.items() if level == 0 or (one and level < 0)}
    seen = set(levels) if pairs == "all" else topic.retrieved
    surplus = len(relevant & seen) - len(others & seen)
    if surplus >= 0:
        fulfilled = topic.num_fulfilled(counting) + surplus * len(relevant & topic.retrieved)
        return fulfilled, len(counting) + surplus * len(relevant)
    last_level = min(levels.values()) if one else 0.0
    last = sorted((d for d, level in levels.items() if level == last_level), key=topic.place.__getitem__)
    kept = last[: len(relevant & seen) if one else len(relevant)]
    dropped = set(last) - set(kept)
    counting = [pair for pair in counting if not dropped & set(pair)]
    if one:
        counting += [pair for pair in product(last, kept) if set(pair) <= seen]
    return topic.num_fulfilled(counting), len(counting)


def ap_groups(topic: PreferredTopic, rel: int = 1, judged_only: bool = False) -> float:
    values = [
        _share(
            sum_of_precisions([grades.get(document, -1) >= rel for document in ranked]),
            sum(grade >= rel for grade in grades.values()),
        )
        for grades, ranked in topic.by_group(judged_only)
    ]
    return sum(values) / len(values)


def p_groups(topic: PreferredTopic, k: int, rel: int = 1, judged_only: bool = False) -> float:
    found = [
        sum(grades.get(document, -1) >= rel for document in ranked[:k])
        for grades, ranked in topic.by_group(judged_only)
    ]
    return sum(found) / k / len(found)


def rprec_groups(topic: PreferredTopic, multiple: float = 1.0, rel: int = 1, judged_only: bool = False) -> float:
    shares = []
    for grades, ranked in topic.by_group(judged_only):
        cutoff = int(multiple * sum(grade >= rel for grade in grades.values()) + 0.9)
        shares.append(_share(sum(grades.get(document, -1) >= rel for document in ranked[:cutoff]), cutoff))
    return sum(shares) / len(shares)
