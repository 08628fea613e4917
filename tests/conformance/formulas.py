"""The variants of each measure, and forms that programs have by mistake, each a formula over one ranking."""

from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

from tests.conformance.exact import Formula, Topic, Value, ratio


class Form(NamedTuple):
    measure: str  # nDCG@k for all cutoffs
    name: str
    meaning: str
    formula: Formula


VARIANTS: list[Form] = []
FAULTS: list[Form] = []


def _added(forms: list[Form], measures: str, name: str, meaning: str) -> Callable[[Formula], Formula]:
    def add(formula: Formula) -> Formula:
        forms.extend(Form(measure, name, meaning, formula) for measure in measures.split())
        return formula

    return add


def variant(measures: str, name: str, meaning: str) -> Callable[[Formula], Formula]:
    return _added(VARIANTS, measures, name, meaning)


def fault(measures: str, meaning: str) -> Callable[[Formula], Formula]:
    return _added(FAULTS, measures, meaning, meaning)


def over(top: float | Fraction, bottom: float | Fraction) -> Fraction:
    return Fraction(top) / Fraction(bottom) if bottom else Fraction(0)


def gain(grade: int | None) -> int:
    return grade or 0


def exponential(grade: int | None) -> int:
    return (1 << max(grade or 0, 0)) - 1 + min(grade or 0, 0)


def binary(grade: int | None) -> int:
    return int((grade or 0) >= 1)


def precision_sum(topic: Topic) -> Fraction:
    return sum((Fraction(at, rank) for at, rank in enumerate(topic.hits, 1)), Fraction(0))


# Precision, recall, F


def precision(t: Topic) -> Fraction:
    return over(len(t.hits), t.depth)


def precision_of_retrieved(t: Topic) -> Fraction:
    return over(len(t.hits), len(t.first))


def recall(t: Topic) -> Fraction:
    return over(len(t.hits), t.num_rel)


variant("P@k", "trec_eval", "divides by the cutoff, however few documents are retrieved")(precision)
variant("P@k", "retrieved", "divides by the documents retrieved where these are fewer than the cutoff")(
    precision_of_retrieved
)
variant("R@k", "trec_eval", "divides by all relevant documents of the topic")(recall)
variant("R@k", "capped", "divides by the relevant documents or the cutoff, whichever is less")(
    lambda t: over(len(t.hits), min(t.num_rel, t.depth))
)


def f_of(one: Fraction, other: Fraction) -> Fraction:
    return over(2 * one * other, one + other)


variant("F@k", "cutoff", "harmonic mean of recall and of precision that divides by the cutoff")(
    lambda t: f_of(precision(t), recall(t))
)
variant("F@k", "retrieved", "harmonic mean of recall and of precision that divides by the documents retrieved")(
    lambda t: f_of(precision_of_retrieved(t), recall(t))
)
variant("Success@k", "trec_eval", "1 if a relevant document is among the first k, else 0")(
    lambda t: Fraction(bool(t.hits))
)
variant("Rprec", "trec_eval", "precision of the first R documents, R being the number of relevant ones")(
    lambda t: over(sum(rank <= t.num_rel for rank in t.hits), t.num_rel)
)
variant("Judged@k", "retrieved", "divides by the cutoff or the documents retrieved, whichever is less")(
    lambda t: over(sum(t.is_judged[: t.depth]), len(t.first))
)
variant("Judged@k", "cutoff", "divides by the cutoff, however few documents are retrieved")(
    lambda t: over(sum(t.is_judged[: t.depth]), t.depth)
)

fault("P@k", "divides by the number of relevant documents, which is recall")(recall)
fault("P@k", "looks at one document more than the cutoff")(lambda t: over(len(deeper(t, 1).hits), t.depth))
fault("P@k", "looks at one document fewer than the cutoff")(lambda t: over(len(deeper(t, -1).hits), t.depth))
fault("P@k", "counts every judged document as relevant")(
    lambda t: over(sum(grade is not None for grade in t.first), t.depth)
)
fault("P@k", "adds up grades instead of counting relevant documents")(lambda t: over(sum(map(gain, t.first)), t.depth))
fault("R@k", "divides by the number retrieved, which is precision")(precision_of_retrieved)
fault("R@k", "divides by the cutoff, which is precision")(precision)
fault("R@k", "divides by the number of judged documents")(lambda t: over(len(t.hits), len(t.judged)))
fault("R@k", "divides by the relevant documents that the whole ranking holds")(
    lambda t: over(len(t.hits), len(whole(t).hits))
)
fault("R@k", "adds up grades instead of counting relevant documents")(
    lambda t: over(sum(map(gain, t.first)), t.num_rel)
)
fault("F@k", "takes the arithmetic mean of precision and recall")(
    lambda t: (over(len(t.hits), t.depth) + recall(t)) / 2
)
fault("F@k", "leaves out the factor 2")(lambda t: f_of(precision(t), recall(t)) / 2)
fault("Success@k", "gives the share of the first k that is relevant, which is precision")(precision)
fault("Success@k", "looks at the document at rank k alone")(lambda t: Fraction(t.depth in t.hits))
fault("Success@k", "looks at one document more than the cutoff")(lambda t: Fraction(bool(deeper(t, 1).hits)))
fault("Success@k", "asks for all relevant documents")(lambda t: Fraction(0 < len(t.hits) == t.num_rel))
fault("Rprec", "goes down to the number of judged documents")(
    lambda t: over(sum(rank <= len(t.judged) for rank in t.hits), len(t.judged))
)
fault("Rprec", "divides by the documents retrieved where these are fewer than the relevant ones")(
    lambda t: over(sum(rank <= t.num_rel for rank in t.hits), min(t.num_rel, len(t.grades)))
)
fault("Rprec", "divides by all documents retrieved, which is precision")(lambda t: over(len(t.hits), len(t.grades)))
fault("Judged@k", "gives the share without a judgment")(
    lambda t: over(len(t.first) - sum(t.is_judged[: t.depth]), len(t.first))
)


def whole(topic: Topic) -> Topic:
    return Topic(topic.grades, topic.judged, topic.is_judged, topic.greatest, None)


def deeper(topic: Topic, by: int) -> Topic:
    return Topic(topic.grades, topic.judged, topic.is_judged, topic.greatest, topic.depth + by)


# Average precision, reciprocal rank, bpref

variant("AP AP@k", "trec_eval", "divides by all relevant documents of the topic, retrieved or not")(
    lambda t: over(precision_sum(t), t.num_rel)
)
variant("AP@k", "capped", "divides by the relevant documents or the cutoff, whichever is less")(
    lambda t: over(precision_sum(t), min(t.num_rel, t.depth))
)
variant("RR RR@k", "trec_eval", "1 over the rank of the first relevant document, 0 where none is found")(
    lambda t: over(1, t.hits[0]) if t.hits else Fraction(0)
)

fault("AP AP@k", "divides by the relevant documents retrieved, so that missed ones cost nothing")(
    lambda t: over(precision_sum(t), len(t.hits))
)
fault("AP AP@k", "divides by the number retrieved")(lambda t: over(precision_sum(t), len(t.first)))
fault("AP@k", "divides by the cutoff")(lambda t: over(precision_sum(t), t.depth))
fault("AP AP@k", "takes the precision above each relevant document, without it")(
    lambda t: over(sum(over(at, rank) for at, rank in enumerate(t.hits)), t.num_rel)
)
fault("AP AP@k", "adds up precision at every rank, not at relevant documents alone")(
    lambda t: over(
        sum(over(sum(hit <= rank for hit in t.hits), rank) for rank in range(1, len(t.first) + 1)), len(t.first)
    )
)
fault("AP AP@k", "adds up reciprocal ranks, 1 over the rank of each relevant document")(
    lambda t: over(sum(over(1, rank) for rank in t.hits), t.num_rel)
)
fault("RR RR@k", "counts ranks from 0 and adds 2, or adds 1 to ranks from 1")(
    lambda t: over(1, t.hits[0] + 1) if t.hits else Fraction(0)
)
fault("RR RR@k", "takes the last relevant document")(lambda t: over(1, t.hits[-1]) if t.hits else Fraction(0))
fault("RR RR@k", "takes the mean of the reciprocal ranks of all relevant documents retrieved")(
    lambda t: over(sum(over(1, rank) for rank in t.hits), len(t.hits))
)
fault("RR RR@k", "takes the document of the greatest grade, not the first relevant one")(
    lambda t: next((over(1, rank) for rank in t.hits if t.grades[rank - 1] == max(t.judged)), Fraction(0))
)
fault("RR@k", "takes no notice of the cutoff")(lambda t: over(1, whole(t).hits[0]) if whole(t).hits else Fraction(0))


def bpref(topic: Topic, lessen: Callable[[int, int, int], Fraction]) -> Fraction:
    relevant, others = topic.num_rel, sum(grade < 1 for grade in topic.judged)
    above, total = 0, Fraction(0)
    for grade in topic.grades:
        if grade is not None and grade >= 1:
            total += 1 - lessen(above, relevant, others)
        elif grade is not None:
            above += 1
    return over(total, relevant)


variant("Bpref", "trec_eval", "each relevant document loses min(n, R) / min(N, R), n judged not relevant above it")(
    lambda t: bpref(t, lambda n, rel, non: over(min(n, rel), min(non, rel)))
)
variant("Bpref", "buckley", "each relevant document loses min(n, R) / R, as in the article of 2004")(
    lambda t: bpref(t, lambda n, rel, non: over(min(n, rel), rel))
)
fault("Bpref", "takes documents without a judgment as judged not relevant")(
    lambda t: bpref(
        Topic(tuple(g or 0 for g in t.grades), t.judged, t.is_judged, t.greatest, t.k),
        lambda n, rel, non: over(min(n, rel), min(non, rel)),
    )
)
fault("Bpref", "divides by all documents judged not relevant")(
    lambda t: bpref(t, lambda n, rel, non: over(min(n, non), non))
)
fault("Bpref", "divides by the relevant documents retrieved")(
    lambda t: over(bpref(t, lambda n, rel, non: over(min(n, rel), min(non, rel))) * t.num_rel, len(t.hits))
)

# Discounted gain


def dcg(
    grades: tuple[int | None, ...],
    worth: Callable[[int | None], int] = gain,
    number: Callable[[int], int] = lambda rank: rank + 1,
) -> dict[int, Fraction]:
    """The sum of gains over log2(number of the rank), as coefficients by that number."""
    terms: dict[int, Fraction] = {}
    for rank, grade in enumerate(grades, 1):
        terms[number(rank)] = terms.get(number(rank), Fraction(0)) + worth(grade)
    return terms


def ideal(topic: Topic) -> tuple[int, ...]:
    best = tuple(sorted(topic.judged, reverse=True))
    return best if topic.k is None else best[: topic.k]


def late(rank: int) -> int:
    return max(rank, 2)  # ranks 1 and 2 are not discounted


def ndcg(topic: Topic, best: tuple[int | None, ...], *how: Callable[..., int]) -> Value:
    below = dcg(best, *how)
    return ratio(dcg(topic.first, *how), below) if any(below.values()) else Fraction(0)


variant("nDCG nDCG@k", "trec_eval", "the gain is the grade, over log2(rank + 1); the ideal is of all judged documents")(
    lambda t: ndcg(t, ideal(t))
)
variant("nDCG nDCG@k", "burges", "the gain is 2^grade - 1, over log2(rank + 1); the ideal is of all judged documents")(
    lambda t: ndcg(t, ideal(t), exponential)
)
variant("nDCG nDCG@k", "jarvelin", "the gain is the grade, over log2(rank) from rank 2 on; of the article of 2002")(
    lambda t: ndcg(t, ideal(t), gain, late)
)
variant("DCG@k", "linear", "the gain is the grade, over log2(rank + 1)")(lambda t: ratio(dcg(t.first)))
variant("DCG@k", "burges", "the gain is 2^grade - 1, over log2(rank + 1)")(lambda t: ratio(dcg(t.first, exponential)))
variant("DCG@k", "jarvelin", "the gain is the grade, over log2(rank) from rank 2 on; of the article of 2002")(
    lambda t: ratio(dcg(t.first, gain, late))
)


def by_rank(grades: tuple[int | None, ...]) -> Fraction:
    return sum((over(gain(grade), rank) for rank, grade in enumerate(grades, 1)), Fraction(0))


def found(topic: Topic) -> tuple[int, ...]:
    return tuple(sorted((gain(grade) for grade in topic.first), reverse=True))


fault("nDCG nDCG@k", "discounts by log2(rank + 2), one rank late")(lambda t: ndcg(t, ideal(t), gain, lambda r: r + 2))
fault("nDCG nDCG@k", "takes the ideal list from the retrieved documents")(lambda t: ndcg(t, found(t)))
fault("nDCG nDCG@k", "takes the ideal list from the retrieved documents, with gains 2^grade - 1")(
    lambda t: ndcg(t, found(t), exponential)
)
fault("nDCG@k", "does not cut the ideal list at k")(lambda t: ndcg(t, ideal(whole(t))))
fault("nDCG@k", "takes the ideal list from the whole ranking retrieved, cut at k")(
    lambda t: ndcg(t, found(whole(t))[: t.depth])
)
fault("nDCG nDCG@k", "takes the ideal list in the order of the judgments, not sorted")(
    lambda t: ndcg(t, t.judged[: t.k])
)
fault("nDCG nDCG@k", "takes every relevant document for the same gain")(lambda t: ndcg(t, ideal(t), binary))
fault("nDCG nDCG@k", "cuts the ideal list at the number retrieved")(lambda t: ndcg(t, ideal(t)[: len(t.first)]))
fault("nDCG nDCG@k", "does not discount")(lambda t: over(sum(map(gain, t.first)), sum(ideal(t))))
fault("nDCG nDCG@k", "discounts by the rank, not by its logarithm")(lambda t: over(by_rank(t.first), by_rank(ideal(t))))
fault("DCG@k", "discounts by log2(rank + 2), one rank late")(lambda t: ratio(dcg(t.first, gain, lambda r: r + 2)))
fault("DCG@k", "discounts by the natural logarithm")(lambda t: ratio(dcg(t.first), base="log"))
fault("DCG@k", "takes every relevant document for the same gain")(lambda t: ratio(dcg(t.first, binary)))
fault("DCG@k", "discounts by the rank, not by its logarithm")(lambda t: by_rank(t.first))
fault("DCG@k", "does not discount")(lambda t: Fraction(sum(map(gain, t.first))))


# User models


def err(topic: Topic, greatest: int, stops: Callable[[int, int], Fraction], is_over_rank: bool = True) -> Fraction:
    total, on = Fraction(0), Fraction(1)
    for rank, grade in enumerate(topic.first, 1):
        stop = stops(min(max(gain(grade), 0), greatest), greatest)
        total += on * stop / (rank if is_over_rank else 1)
        on *= 1 - stop
    return total


def satisfied(grade: int, greatest: int) -> Fraction:
    return Fraction(2**grade - 1, 2**greatest)


variant("ERR ERR@k", "gdeval", "a reader stops with (2^grade - 1) / 2^4, the greatest grade being 4 everywhere")(
    lambda t: err(t, 4, satisfied)
)
variant("ERR ERR@k", "greatest", "a reader stops with (2^grade - 1) / 2^g, g the greatest grade of the judgments")(
    lambda t: err(t, t.greatest, satisfied)
)


def unstopped(topic: Topic, greatest: int) -> Fraction:
    parts = (satisfied(max(gain(grade), 0), greatest) / rank for rank, grade in enumerate(topic.first, 1))
    return sum(parts, Fraction(0))


fault("ERR ERR@k", "lets the reader stop with grade / greatest grade")(lambda t: err(t, t.greatest, over))
fault("ERR ERR@k", "lets the reader stop with grade / 4")(lambda t: err(t, 4, over))
fault("ERR ERR@k", "does not divide by the rank")(lambda t: err(t, t.greatest, satisfied, False))
fault("ERR ERR@k", "does not divide by the rank, the greatest grade being 4")(lambda t: err(t, 4, satisfied, False))
fault("ERR ERR@k", "forgets that the reader may have stopped above")(lambda t: unstopped(t, t.greatest))
fault("ERR ERR@k", "forgets that the reader may have stopped above, the greatest grade being 4")(
    lambda t: unstopped(t, 4)
)


def rbp(topic: Topic, worth: Callable[[int | None], Fraction | int], late_by: int = 0) -> Fraction:
    p = Fraction(4, 5)
    return sum(
        ((1 - p) * worth(grade) * p ** (rank - 1 + late_by) for rank, grade in enumerate(topic.first, 1)), Fraction(0)
    )


variant("RBP", "moffat", "p is 0.8; a relevant document has the gain 1, others 0")(lambda t: rbp(t, binary))
variant("RBP", "graded", "p is 0.8; the gain is the grade over the greatest grade of the judgments")(
    lambda t: rbp(t, lambda grade: over(max(gain(grade), 0), t.greatest))
)
fault("RBP", "multiplies by p once too often")(lambda t: rbp(t, binary, 1))
fault("RBP", "leaves out the factor 1 - p")(lambda t: rbp(t, binary) * 5)
fault("RBP", "takes grades as gains, so that it can exceed 1")(lambda t: rbp(t, gain))
