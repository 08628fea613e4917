"""Loading weights of topics, and the retrieval lists of the TAP-k program, whose results are those of that program."""

import bz2
import gzip
import lzma
import random
from pathlib import Path
from typing import Any

import pytest
import tapk

from evalsql import InputError, UsageError, Warehouse
from tests.conftest import Command, assert_refused, write
from tests.long_cases import few_of

QRELS = {"t1": {"d1": 1, "d2": 0}, "t2": {"d1": 2}, "3": {"d9": 0}}
RUN = {"t1": {"d2": 2.0, "d1": 1.0}, "t2": {"d1": 0.5}}
WEIGHTS = "select topic, weight from weighted_topics where qrels = 'judged' order by topic"
LISTS = """\
alpha 2.5
3
1 0.9 first
0 0.7\tsecond x
1 0.7

beta
0
0 0.8
0 0.8


gamma 1
2
"""


@pytest.fixture
def judged(empty: Warehouse) -> Warehouse:
    empty.load_qrels(QRELS, "judged")
    empty.load_run(RUN, "system")
    return empty


def test_weights_come_from_files_and_dicts(judged: Warehouse, tmp_path: Path) -> None:
    expected = [("3", 0.01), ("t1", 2.5), ("t2", 1.0)]
    texts = (
        "t1 2.5\n3 1e-2\n",
        "topic weight\nt1\t2.5\n\n# more\n 3   0.01 \n",
        "\ufefft1 +2.50\r\n3 .01\r\n",
        "query_id\tweight\nt1\t2.5\n3\t0.01\n",
    )
    sources = [write(tmp_path / f"weights{at}", text) for at, text in enumerate(texts)]
    sources += [write(tmp_path / f"bz2{at}", bz2.compress(text.encode())) for at, text in enumerate(texts)]
    packed = write(tmp_path / "packed", gzip.compress(texts[0].encode()))
    for source in (*sources, {"t1": 2.5, 3: 0.01}, packed):
        assert judged.load_weights(source, "jud*", replace=True) == "judged"
        assert judged.rows(WEIGHTS) == expected
        judged.execute("delete from topic_weights")
    judged.load_weights(packed, "judged")
    assert judged.rows("select num_weights from holdings where kind = 'qrels'") == [(2,)]
    assert judged.rows("select file, num_rows from files where kind = 'weights'") == [(str(packed), 2)]
    assert judged.evaluate("TAP(threshold=0)").fetchall()[0][2] == pytest.approx((2.5 * 0.5 + 1) / 3.51, abs=1e-12)
    assert judged.evaluate("AP").fetchall() == [("judged", "system", 0.5)]


def test_all_that_is_wrong_with_weights_is_told_at_once(judged: Warehouse, tmp_path: Path) -> None:
    judged.load_weights({"t1": 4}, "judged")
    text = "t1 2\nt2 0\nt2 -1\nt2 nan\nt2 x\nt2 1e200\nt2\nt2 1 1\nt1 3\nunknown 1\n"
    path = write(tmp_path / "weights.txt", text)
    with pytest.raises(UsageError, match="judged already have weights; --replace"):
        judged.load_weights(path, "judged")
    with pytest.raises(InputError) as caught:
        judged.load_weights(path, "judged", replace=True)
    told = sorted((problem.line, problem.reason) for problem in caught.value.problems if problem.file == str(path))
    assert told == [
        (2, 'weight "0" is not above 0'),
        (3, 'weight "-1" is not above 0'),
        (4, 'weight "nan" is not a number'),
        (5, 'weight "x" is not a number'),
        (6, 'weight "1e200" is not between 1e-100 and 1e+100'),
        (7, "1 column, expected 2: topic weight"),
        (8, "3 columns, expected 2: topic weight"),
        (9, "topic t1 has a weight already, at line 1"),
        (10, "topic unknown is not among the judgments"),
    ]
    assert judged.rows(WEIGHTS) == [("3", 1.0), ("t1", 4.0), ("t2", 1.0)]
    assert judged.rows("select count(*) from files where kind = 'weights'") == [(1,)]


UNUSABLE_WEIGHTS: list[tuple[Any, str, str]] = [
    ({}, "judged", "holds no rows"),
    ({"t1": 0}, "judged", 'in memory:1: weight "0" is not above 0'),
    ({"t1": 1, "t2": True}, "judged", "in memory:2: weight True is no number"),
    ({"t1": None}, "judged", 'weight "None" is not a number'),
    ({1.5: 1}, "judged", "names are text or whole numbers"),
    ({"t9": 1}, "judged", "topic t9 is not among the judgments"),
    ({"3": 1, 3: 2}, "judged", "topic 3 has a weight already"),
    ({"t1": 1}, "judged*", "stands for 2 judgment sets"),
    ({"t1": 1}, "other", 'no judgment set is called "other"'),
    ([("t1", 1)], "judged", "weights are a file or"),
    ("absent", "judged", "no such file"),
]


def test_unusable_weights_are_refused_and_others_are_of_one_judgment_set(judged: Warehouse) -> None:
    judged.load_qrels(QRELS, "judged too")
    for data, name, complaint in UNUSABLE_WEIGHTS:
        with pytest.raises((UsageError, InputError), match=complaint):
            judged.load_weights(data, name)
    assert judged.rows("select count(*) from topic_weights") == [(0,)]
    judged.load_weights({"t1": 3}, "judged too")
    assert {weight for _, weight in judged.rows(WEIGHTS)} == {1.0}


def test_lists_become_judgments_a_run_and_weights(empty: Warehouse, tmp_path: Path) -> None:
    path = write(tmp_path / "made.txt.xz", lzma.compress(LISTS.encode()))
    empty.load_qrels(write(tmp_path / "q.txt", "q 0 d 1\n"), "other")
    assert empty.loader.notices == ["read as TREC"]
    assert empty.load_lists(path, meta={"by": "hand"}) == ["made"]
    assert empty.loader.notices == []  # none of the load before
    empty.drop_qrels("other")
    weights = empty.rows("select topic, weight from weighted_topics order by topic")
    assert weights == [("alpha", 2.5), ("beta", 1.0), ("gamma", 1.0)]
    ranked = empty.rows(
        "select topic, list(document || ' ' || score order by rank) from rankings group by 1 order by 1"
    )
    assert ranked == [("alpha", ["alpha-1 0.9", "alpha-2 0.7", "alpha-3 0.7"]), ("beta", ["beta-1 0.8", "beta-2 0.8"])]
    grades = empty.rows("select document, grade from judgments where starts_with(document, topic || '-') order by all")
    assert grades == [
        *(("alpha-1", 1), ("alpha-2", 0), ("alpha-3", 1), ("alpha-unretrieved-1", 1)),
        *(("beta-1", 0), ("beta-2", 0), ("gamma-unretrieved-1", 1), ("gamma-unretrieved-2", 1)),
    ]
    facts = empty.rows("select run, tie_rule, lower_is_better, meta['by'] from runs")
    assert facts == [("made", "input", False, "hand")]
    files = empty.rows("select kind, file, num_rows from files order by kind")
    assert files == [(kind, str(path), rows) for kind, rows in (("qrels", 8), ("run", 5), ("weights", 2))]


def random_lists(chance: random.Random, *, ascending: bool, weighted: bool) -> str:
    """Lists as the program reads them, with ties, relevant documents that are not retrieved, and lists without any."""
    blocks = []
    for query in range(chance.randint(2, 9)):
        scores = sorted(round(chance.gauss(0, 3), chance.choice((0, 1, 6))) for _ in range(chance.randint(0, 30)))
        lines = [f"{int(chance.random() < 0.4)} {score}" for score in (scores if ascending else scores[::-1])]
        relevant = sum(line.startswith("1") for line in lines) + chance.choice((0, 0, 1, 5))
        weight = f" {chance.choice((0.25, 1, 3, 7.5))}" if weighted and chance.random() < 0.7 else ""
        blocks.append("\n".join([f"q{query}{weight}", str(relevant), *lines]))
    blocks.append(f"last\n1\n0 {'-99' if ascending else '99'}\n1 {'99' if ascending else '-99'}")
    return "\n\n".join(blocks) + "\n"


# Arguments of TAP here and there.
OPTIONS: dict[str, dict[str, Any]] = {
    "k=1": {"k": 1},
    "k=3,quantile=0.3": {"k": 3, "quantile": 0.3},
    "k=2,weighted=false": {"k": 2, "unweighted": True},
    "k=25,insufficient='uncut'": {"k": 25, "pad_insufficient": True},
    "threshold=0.5": {"e0": 0.5},
}


@pytest.mark.parametrize("seed", few_of(range(12), 1))
def test_lists_give_what_the_program_prints_of_them(empty: Warehouse, tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    text = random_lists(chance, ascending=seed % 2 == 0, weighted=seed % 3 > 0)
    # Several files that are one set, as they are to the program.
    parts = text.replace("\n\nq2", "\n\n\f\nq2", 1).split("\f\n")
    paths = [write(tmp_path / f"lists{at}.txt", part) for at, part in enumerate(parts)]
    empty.load_lists(paths, name="system", qrels="judged")
    compared = 0
    for ours, theirs in OPTIONS.items():
        try:
            expected = tapk.tapk([str(path) for path in paths], **theirs)
        except tapk.InputError:
            continue
        name = f"TAP({ours},reward_silence=true)"
        assert empty.evaluate(name).fetchall() == [("judged", "system", pytest.approx(expected.tap, abs=1e-9))]
        values = {topic: value for _, _, topic, _, value in empty.evaluate(name, per_topic=True).fetchall()}
        assert values == pytest.approx({query.query: query.tap for query in expected.queries}, abs=1e-9)
        compared += 1
    assert compared >= 4


def test_each_file_of_lists_is_a_set_of_its_own(empty: Warehouse, tmp_path: Path) -> None:
    write(tmp_path / "one.txt", LISTS)
    write(tmp_path / "two.txt.gz", gzip.compress(b"alpha\n1\n1 1e-9\n0 1e-3\n"))
    assert empty.load_lists(str(tmp_path / "*.txt*")) == ["one", "two"]
    pairs = empty.rows("select qrels, run from steps.evaluated_topics group by all order by all")
    assert pairs == [("one", "one"), ("two", "two")]
    assert empty.rows("select run, lower_is_better from runs order by run") == [("one", False), ("two", True)]
    with pytest.raises(UsageError, match="judgments one are already loaded"):
        empty.load_lists(tmp_path / "one.txt")
    with pytest.raises(UsageError, match="cannot all be called"):
        empty.load_lists(str(tmp_path / "*.txt*"), qrels="both")
    values = "select qrels, run, topic, value from tap(k := 1) order by all"
    before = empty.rows(values)
    empty.load_lists(str(tmp_path / "*.txt*"), replace=True)
    assert empty.rows(values) == before
    assert empty.rows("select count(*) from qrels, runs") == [(4,)]


def test_a_long_list_keeps_its_order_and_one_score_needs_a_word(empty: Warehouse, tmp_path: Path) -> None:
    rows = "".join(f"{int(at == 10)} 7\n" for at in range(12))
    path = write(tmp_path / "flat.txt", f"q\n1\n{rows}")
    empty.load_lists(path, order="asc")
    assert empty.rows("select document, lower_is_better from rankings, runs where rank = 10") == [("q-10", True)]
    assert empty.evaluate("RR").fetchall() == [("flat", "flat", pytest.approx(1 / 11))]


def test_what_is_wrong_in_several_files_is_told_at_once(empty: Warehouse, tmp_path: Path) -> None:
    write(tmp_path / "a.txt", "q\n1\n1 x\n2 5\n\nr 0\n1\n")
    write(tmp_path / "b.txt", "q\n1\n1 3\n0 4\n0 2\n")
    with pytest.raises(InputError) as caught:
        empty.load_lists(str(tmp_path / "*.txt"))
    places = [(Path(problem.file).name, problem.line) for problem in caught.value.problems]
    assert places == [("a.txt", 3), ("a.txt", 4), ("a.txt", 6), ("b.txt", 5)]
    with pytest.raises(InputError, match=r"b.txt:1: query q already stands at .*a.txt:1"):
        empty.load_lists(str(tmp_path / "*.txt"), name="both")
    write(tmp_path / "a.txt", LISTS)
    with pytest.raises(InputError, match=r"b.txt:5(.|\n)*nothing was loaded"):
        empty.load_lists(str(tmp_path / "*.txt"))
    assert empty.rows("select count(*) from qrels, runs") == [(0,)]


@pytest.mark.long
def test_weights_and_lists_from_the_command_line(command: Command, tmp_path: Path) -> None:
    write(tmp_path / "made.txt", LISTS)
    loaded = command("load", "lists", "made.txt")
    told = "loaded lists made: 3 topics, 2 weights, 5 documents retrieved, higher scores being better\n"
    assert (loaded.returncode, loaded.stdout, loaded.stderr) == (0, "", told)
    write(tmp_path / "weights.txt", "beta 2\n")
    refused = command("load", "weights", "weights.txt", "--qrels", "made")
    assert_refused(refused, "judgments made already have weights")
    loaded = command("load", "weights", "-", "--qrels", "made", "--replace", stdin="beta 2\n")
    assert (loaded.returncode, loaded.stderr) == (0, "loaded 1 weight for the 3 topics of made\n")
    shown = command("sql", "select topic, weight from tap(k := 1) order by topic", "--format", "csv").stdout
    assert shown == "topic,weight\nalpha,1.0\nbeta,2.0\ngamma,1.0\n"
    replaced = command("load", "lists", "-", "--name", "made", "--replace", "--order", "asc", stdin="q\n1\n1 5\n")
    assert replaced.stderr.splitlines() == [
        "loaded lists made: 1 topic, 0 weights, 1 document retrieved, lower scores being better",
        "1 weight went with the judgments replaced",
        "the judgments before stay as made@1; --qrels made@1 evaluates with them",
        "relations in SQL have rows of both; where qrels = 'made' takes the new ones alone",
    ]
    for number in (1, 2):
        files = [write(tmp_path / f"{name}.txt", f"q\n{number}\n1 5\n0 4\n") for name in ("left", "right")]
        told = command("load", "lists", *files, "--replace").stderr
    for name in ("left", "right"):
        assert f"the judgments before stay as {name}@1; --qrels {name}@1 evaluates with them\n" in told
    wrong = command("load", "lists", "-", "--name", "x", stdin="q\n1\n2 5\n")
    assert_refused(wrong, 'evalsql: -:3: relevance "2" is neither 0 nor 1\n')
