"""What adapters share: the caller's part of an evaluation, for packages that score one ranked list at a time."""

from collections.abc import Callable

Grades = dict[str, int]
Qrels = dict[str, Grades]
Run = dict[str, dict[str, float]]


def parts(measure: str) -> tuple[str, int | None]:
    """The name of a measure and its cutoff: ``nDCG`` and 10 of ``nDCG@10``."""
    name, _, cutoff = measure.partition("@")
    return name, int(cutoff) if cutoff else None


def ranked(scores: dict[str, float]) -> list[str]:
    """Documents by score; equal scores stay in the order of the file."""
    return sorted(scores, key=scores.__getitem__, reverse=True)


def relevant(grades: Grades) -> list[str]:
    """The documents with a positive grade, in the order of the file."""
    return [document for document, grade in grades.items() if grade > 0]


def has_grades(qrels: Qrels) -> bool:
    """Whether a grade is above 1, which packages of relevant and other documents cannot be told."""
    return any(grade > 1 for grades in qrels.values() for grade in grades.values())


def mean(qrels: Qrels, run: Run, of_topic: Callable[[Grades, list[str]], float]) -> float:
    """The mean over all judged topics of what the package gives for a topic's grades and ranked documents."""
    values = [float(of_topic(grades, ranked(run.get(topic, {})))) for topic, grades in qrels.items()]
    return sum(values) / len(values)
