"""Ranks from lines in any order, against a plain sort, and where ranks do not decide."""

import json
import random
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path

import numpy
import pytest

from evalsql import Warehouse
from tests.conftest import warned, write
from tests.long_cases import few_of

pytestmark = pytest.mark.fast

Line = tuple[str, str, int, float]  # topic, document, rank column, score
Place = tuple[str, int, int, str]  # topic, rank, first rank of the tie, document
SCORES = (3.0, 2.0, 1.0, 0.0, -0.0, -1.0, 1.0 + 2.0**-30, 16777217.0, 16777216.0, 5.5e38, 4.4e38)


def _strength(rule: str, score: float, lower: bool) -> float:
    with numpy.errstate(over="ignore"):
        value = -score if lower else score
        return float(numpy.float32(value)) if rule == "trec_eval" else value


def _ranked(lines: Sequence[Line], rule: str, lower: bool) -> list[Place]:
    """The lines of one topic in order."""
    by_name = sorted(lines, key=lambda line: line[1].encode(), reverse=True)
    by_strength = sorted(by_name, key=lambda line: -_strength(rule, line[3], lower))
    if rule in ("input", "rank"):
        given = lines if rule == "input" else sorted(by_strength, key=lambda line: line[2])
        return [(topic, at, at, document) for at, (topic, document, _, _) in enumerate(given, 1)]
    rows = []
    for _, tied in groupby(enumerate(by_strength, 1), key=lambda item: _strength(rule, item[1][3], lower)):
        places = list(tied)
        rows += [(topic, at, places[0][0], document) for at, (topic, document, _, _) in places]
    return rows


def _lines(rng: random.Random) -> list[Line]:
    return [
        (topic, f"d{document}", rng.randrange(6), rng.choice(SCORES))
        for topic in ("1", "10", "2")
        for document in rng.sample(range(40), rng.randrange(1, 25))
    ]


def _sorted(lines: Iterable[Line], rng: random.Random, *, lower: bool = False) -> list[Line]:
    """In the order of the ranking, ties by lot."""
    shuffled = sorted(lines, key=lambda _: rng.random())
    return sorted(shuffled, key=lambda line: (line[0], line[3] if lower else -line[3]))


FORMS: dict[str, Callable[[list[Line], random.Random], list[Line]]] = {
    "by score": _sorted,
    "rising": lambda lines, rng: _sorted(lines, rng, lower=True),
    "by rank": lambda lines, rng: sorted(lines, key=lambda line: (line[0], line[2])),
    "topics in pieces": lambda lines, rng: sorted(lines, key=lambda line: -line[3]),
    "any": lambda lines, rng: sorted(lines, key=lambda _: rng.random()),
    "one line elsewhere": lambda lines, rng: (whole := _sorted(lines, rng))[1:] + whole[:1],
}


def _write(path: Path, lines: Iterable[Line]) -> Path:
    path.write_text("".join(f"{topic} Q0 {document} {rank} {score!r} t\n" for topic, document, rank, score in lines))
    return path


def _found(warehouse: Warehouse, run: str) -> list[Place]:
    return warehouse.rows(
        """
        select topic, rank, rank - tied_above, document from retrieved
        join runs using (run_id) join topics using (topic_id) join documents using (document_id)
        where run = ? order by topic, rank
        """,
        [run],
    )


def _expected(lines: Sequence[Line], rule: str, lower: bool) -> list[Place]:
    topics = sorted({line[0] for line in lines})
    return [row for topic in topics for row in _ranked([line for line in lines if line[0] == topic], rule, lower)]


@pytest.mark.parametrize("lower", few_of([False, True], 1))
@pytest.mark.parametrize("rule", ["trec_eval", "trec_eval_10", "rank", "input"])
def test_lines_in_any_order(empty: Warehouse, tmp_path: Path, rule: str, lower: bool) -> None:
    rng = random.Random(7)
    files, lines = [], {}
    for form, arrange in FORMS.items():
        for turn in range(2):
            lines[f"{form} {turn}"] = arrange(_lines(rng), rng)
            files.append(_write(tmp_path / f"{form} {turn}.run", lines[f"{form} {turn}"]))
    empty.load_runs(files, tie_rule=rule, lower_is_better=lower)
    for run, given in lines.items():
        assert _found(empty, run) == _expected(given, rule, lower), run


@pytest.mark.parametrize("rule", ["trec_eval", "input"])
def test_a_topic_in_several_files_of_a_run(empty: Warehouse, tmp_path: Path, rule: str) -> None:
    rng = random.Random(11)
    whole = _sorted(_lines(rng), rng)
    middle = len(whole) // 2
    # The second file has a layout of its own, so that it is read apart.
    second = _write(tmp_path / "b.run", whole[middle:])
    second.write_text(second.read_text().replace(" ", "\t"))
    empty.load_runs([_write(tmp_path / "a.run", whole[:middle]), second], name="both", tie_rule=rule)
    assert _found(empty, "both") == _expected(whole, rule, lower=False)


@pytest.mark.long
@pytest.mark.parametrize(("name", "swaps"), few_of([("tied", 2), ("falling", 1), ("rising", 3)], 1))
def test_as_many_rows_as_the_engine_reads_in_pieces(empty: Warehouse, tmp_path: Path, name: str, swaps: int) -> None:
    rng = random.Random(13)
    lines = [
        (str(topic), f"document-{document:06}", 1, float(2000 - at - at % swaps))
        for topic in range(1, 84)
        for at, document in enumerate(rng.sample(range(5000), 1500))
    ]
    empty.load_runs(_write(tmp_path / f"{name}.run", lines))
    assert _found(empty, name) == _expected(lines, "trec_eval", lower=False)


def test_ranks_that_repeat_are_told(empty: Warehouse, tmp_path: Path) -> None:
    """Of documents that differ in score these decide; ranks without scores are those of four of five documents."""
    text = "".join(f"t Q0 {name} {rank} {score} x\n" for name, rank, score in (("a", 1, 3), ("b", 1, 2), ("c", 2, 1)))
    same = "".join(f"t Q0 {name} 1 3 x\n" for name in "abc")
    rows = (("t", "a", 1), ("t", "b", 1), ("t", "c", 2), ("u", "a", 1), ("u", "b", 1))
    lines = "".join(json.dumps({"qid": topic, "docid": name, "rank": rank}) + "\n" for topic, name, rank in rows)
    files = [write(tmp_path / name, each) for name, each in (("apart", text), ("same", same), ("ranks.jsonl", lines))]
    told = warned(partial(empty.load_runs, files, tie_rule="rank"))
    words = "documents have the rank and the score of another one of their topic, so that their names decide the order"
    assert {each for each in told if "the rank and" in each} == {f"ranks: 4 {words}", f"same: 3 {words}"}
