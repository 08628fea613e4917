"""Exact values of a case under every variant and convention: fractions and logarithms, shared with nothing in sql/."""

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from struct import pack, unpack

from mpmath import mp, mpf

mp.dps = 50

Terms = Mapping[int, Fraction]  # the sum of coefficient / log2(number)


@dataclass(frozen=True)
class Ratio:
    """A sum of gains divided by logarithms, over another one; or a number that such a sum makes."""

    above: tuple[tuple[int, Fraction], ...]
    below: tuple[tuple[int, Fraction], ...]  # none for a sum that nothing divides
    base: str

    @property
    def number(self) -> mpf:
        return self._sum(self.above) / (self._sum(self.below) if self.below else 1)

    def _sum(self, terms: Sequence[tuple[int, Fraction]]) -> mpf:
        unit = mp.log(2) if self.base == "log2" else 1
        return mp.fsum(mpf(each.numerator) / each.denominator / mp.log(number) * unit for number, each in terms)

    @property
    def text(self) -> str:
        below = self._text(self.below)
        above = self._text(self.above)
        return above if below in ("0", "1") else f"{_bracketed(above)} / {_bracketed(below)}"

    def _text(self, terms: Sequence[tuple[int, Fraction]]) -> str:
        written = []
        for number, each in terms:
            if self.base == "log2" and number & (number - 1) == 0:
                written.append(str(each / (number.bit_length() - 1)))
            else:
                top = str(each) if each.denominator == 1 else f"({each})"
                written.append(f"{top}/{self.base}({number})")
        return " + ".join(written) or "0"


def _bracketed(text: str) -> str:
    return text if text.isdigit() else f"({text})"


Value = Fraction | Ratio


def ratio(above: Terms, below: Terms | None = None, base: str = "log2") -> Value:
    """What two sums make; a fraction where they hold no logarithm of anything but 2."""
    sums = [tuple((n, c) for n, c in sorted(terms.items()) if c) for terms in (above, below or {2: Fraction(1)})]
    if base == "log":
        return Ratio(sums[0], (), base) if sums[0] else Fraction(0)
    if not sums[0] or sums[0] == sums[1]:
        return Fraction(bool(sums[0]))
    if base == "log2" and all(n & (n - 1) == 0 for terms in sums for n, _ in terms):
        top, bottom = (sum(c / (n.bit_length() - 1) for n, c in terms) for terms in sums)
        return Fraction(top) / bottom
    return Ratio(sums[0], sums[1], base)


def number_of(values: Sequence[tuple[Fraction, Value]]) -> mpf:
    """A weighted sum."""
    parts = [
        mpf(w.numerator) / w.denominator * (v.number if isinstance(v, Ratio) else mpf(v.numerator) / v.denominator)
        for w, v in values
    ]
    return mp.fsum(parts)


def text_of(values: Sequence[tuple[Fraction, Value]]) -> str:
    whole = sum((w * v for w, v in values if isinstance(v, Fraction)), Fraction(0))
    parts = [str(whole)] if whole or all(isinstance(v, Fraction) for _, v in values) else []
    for weight, value in values:
        if isinstance(value, Ratio):
            parts.append(value.text if weight == 1 else f"({weight}) * ({value.text})")
    return " + ".join(parts)


@dataclass(frozen=True)
class Topic:
    """One ranking as a formula sees it: the grades in their order, None where a document has no judgment."""

    grades: tuple[int | None, ...]
    judged: tuple[int, ...]
    is_judged: tuple[bool, ...]
    greatest: int
    k: int | None

    @property
    def depth(self) -> int:
        return len(self.grades) if self.k is None else self.k

    @property
    def first(self) -> tuple[int | None, ...]:
        return self.grades[: self.depth]

    @property
    def hits(self) -> list[int]:
        """The ranks of the relevant documents down to the cutoff."""
        return [rank for rank, grade in enumerate(self.first, 1) if grade is not None and grade >= 1]

    @property
    def num_rel(self) -> int:
        return sum(grade >= 1 for grade in self.judged)


Formula = Callable[[Topic], Value]

TIES = {
    "trec_eval 9": "by score as a 32-bit number, then document id in descending byte order",
    "trec_eval 10": "by score as a 64-bit number, then document id in descending byte order",
    "id ascending": "by score, then document id in ascending byte order",
    "input order": "by score, then the order of the file or of the dictionary",
    "input order reversed": "by score, then the order of the file or of the dictionary turned round",
    "file order": "as the file or the dictionary lists the documents, whatever their scores",
    "rank column": "by the rank column of the file, whatever the scores",
    "mean of orders": "by score, and the mean of the values that all orders of tied documents give",
}
TOPICS = {
    "judged": "all topics of the judgments; one that the run leaves out counts 0 (trec_eval -c)",
    "answered": "topics that both the judgments and the run have (trec_eval without -c)",
    "of the run": "all topics of the run; one without judgments counts 0",
}
EMPTY = {
    "zero": "a topic without a relevant document counts 0",
    "left out": "a topic without a relevant document is not averaged",
    "one": "a topic without a relevant document counts 1",
}
UNJUDGED = {
    "not relevant": "documents without a judgment stay in the ranking and are not relevant",
    "removed": "documents without a judgment are taken out of the ranking first (trec_eval -J)",
}
NEGATIVE = {
    "no judgment": "a negative grade has no gain and is no judgment of not relevant",
    "as given": "a negative grade is a loss of so much, and a judgment of not relevant",
}
DUPLICATES = {
    "best kept": "of a document that stands twice for a topic the best row counts",
    "each counted": "a document that stands twice for a topic counts twice",
}
AXES = {
    "ties": TIES,
    "topics": TOPICS,
    "without relevant": EMPTY,
    "unjudged": UNJUDGED,
    "negative": NEGATIVE,
    "duplicates": DUPLICATES,
}
Choice = Mapping[str, str]


@dataclass(frozen=True)
class Case:
    qrels: Mapping[str, Mapping[str, int]]
    rows: Mapping[str, Sequence[tuple[str, int, float]]]  # by topic in the order of lines: document, rank, score


def read_case(folder: Path) -> Case:
    qrels: dict[str, dict[str, int]] = {}
    rows: dict[str, list[tuple[str, int, float]]] = {}
    for line in (folder / "qrels.txt").read_text(encoding="utf-8").splitlines():
        topic, _, document, grade = line.split()
        qrels.setdefault(topic, {})[document] = int(grade)
    for line in (folder / "run.txt").read_text(encoding="utf-8").splitlines():
        topic, _, document, rank, score, _ = line.split()
        number = float(score)
        rows.setdefault(topic, []).append((document, int(rank), -math.inf if math.isnan(number) else number))
    return Case(qrels, rows)


def single(number: float) -> float:
    """The nearest 32-bit number."""
    try:
        return float(unpack("f", pack("f", number))[0])
    except OverflowError:
        return math.copysign(math.inf, number)


def orders(rows: Sequence[tuple[str, int, float]], choice: Choice) -> Iterator[list[str]]:
    """The order of the documents; several where all orders of ties are asked for."""
    ties = choice["ties"]
    listed = list(rows)
    if ties == "input order reversed":
        listed.reverse()
    by_score = {
        "trec_eval 9": lambda row: single(row[2]),
        "rank column": lambda row: -row[1],
        "file order": lambda _: 0,
    }.get(ties, lambda row: row[2])
    if ties in ("trec_eval 9", "trec_eval 10", "id ascending"):
        listed.sort(key=lambda row: row[0].encode(), reverse=ties != "id ascending")
    listed.sort(key=by_score, reverse=True)
    if choice["duplicates"] == "best kept":
        best: dict[str, tuple[str, int, float]] = {}
        for row in listed:
            best.setdefault(row[0], row)
        listed = list(best.values())
    if ties == "mean of orders":
        groups = [list(group) for _, group in itertools.groupby(listed, key=by_score)]
        for way in itertools.product(*(itertools.permutations(group) for group in groups)):
            yield [row[0] for group in way for row in group]
    else:
        yield [row[0] for row in listed]


def topic_of(order: Sequence[str], grades: Mapping[str, int], greatest: int, k: int | None, choice: Choice) -> Topic:
    counts = {d: g for d, g in grades.items() if g >= 0 or choice["negative"] == "as given"}
    kept = [d for d in order if d in counts or choice["unjudged"] == "not relevant"]
    return Topic(
        tuple(counts.get(d) for d in kept), tuple(counts.values()), tuple(d in grades for d in kept), greatest, k
    )


@cache
def _asked(formula: Formula, topic: Topic) -> Value:
    return formula(topic)


def value_of(case: Case, formula: Formula, k: int | None, choice: Choice) -> list[tuple[Fraction, Value]] | None:
    """The mean over topics as a weighted sum; None where no topic is averaged."""
    named = list(case.rows if choice["topics"] == "of the run" else case.qrels)
    if choice["topics"] == "answered":
        named = [topic for topic in named if topic in case.rows]
    greatest = max((g for grades in case.qrels.values() for g in grades.values()), default=0)
    means: list[list[tuple[Fraction, Value]]] = []
    for name in named:
        grades = case.qrels.get(name, {})
        if not any(grade >= 1 for grade in grades.values()) and name in case.qrels:
            if choice["without relevant"] == "left out":
                continue
            if choice["without relevant"] == "one":
                means.append([(Fraction(1), Fraction(1))])
                continue
        ways = list(orders(case.rows.get(name, ()), choice))
        values = [_asked(formula, topic_of(way, grades, greatest, k, choice)) for way in ways]
        tallied = {value: Fraction(values.count(value), len(values)) for value in dict.fromkeys(values)}
        means.append([(share, value) for value, share in tallied.items()])
    if not means:
        return None
    return [(share / len(means), value) for mean in means for share, value in mean]
