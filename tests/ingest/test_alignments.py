"""Searches of sequence databases: E-values and families give ROC_n and TAP-k as the published program has them."""

import random
import re
from collections import defaultdict
from functools import partial
from pathlib import Path

import pandas
import pytest
import tapk

import evalsql
from evalsql import InputError, InputWarning, UsageError, Warehouse
from tests.conftest import Command, warned, write
from tests.long_cases import few_of

KS = (1, 3, 5, 10, 20)
ROW = "{q}\t{s}\t55.1\t200\t9\t1\t1\t200\t3\t203\t{e}\t{b}\n"
PROTEINS = [f"sp|P{number:05}|PROT{number}_TEST" for number in range(240)]
FAMILIES = {name: f"fam{number % 12}" for number, name in enumerate(PROTEINS)}


def search(seed: int) -> list[tuple[str, str, str]]:
    """Query, subject and E-value of each alignment, as BLAST writes them: the query itself first, some pairs twice."""
    chance = random.Random(seed)
    found = []
    for query in PROTEINS[:40]:
        found.append((query, query, "0.0"))
        for subject in chance.sample(PROTEINS, 90):
            exponent = chance.gauss(-90 if FAMILIES[subject] == FAMILIES[query] else -15, 60)
            text = "0.0" if exponent < -180 else f"{chance.randint(1, 9)}e{min(exponent, 0.9):+04.0f}"
            found += [(query, subject, text), (query, subject, "7.5")][: 1 + (chance.random() < 0.2)]
    return found


def ranked(rows: list[tuple[str, str, str]]) -> dict[str, list[tuple[str, float]]]:
    """Subjects of each query by plain loops: the lowest E-value of each, the query left out, equal ones by name."""
    best: dict[str, dict[str, float]] = defaultdict(dict)
    for query, subject, text in rows:
        if query != subject:
            best[query][subject] = min(best[query].get(subject, float("inf")), float(text))
    return {query: sorted(sorted(of.items(), reverse=True), key=lambda pair: pair[1]) for query, of in best.items()}


def relatives(query: str) -> set[str]:
    return {name for name in PROTEINS if FAMILIES[name] == FAMILIES[query]} - {query}


def roc(ranking: list[tuple[str, float]], relevant: set[str], n: int) -> float:
    """The area up to n false positives, counted down the ranking."""
    above = area = false = 0
    for subject, _ in ranking:
        if subject in relevant:
            above += 1
        elif false < n:
            false += 1
            area += above
    return (area + (n - false) * above) / n / len(relevant)


def by_the_program(ranking: dict[str, list[tuple[str, float]]], k: int) -> tapk.Result:
    lines = []
    for query, subjects in ranking.items():
        relevant = relatives(query)
        lines += [query, str(len(relevant)), *(f"{int(name in relevant)} {value!r}" for name, value in subjects), ""]
    return tapk.tapk([lines], monotonicity="asc", k=k)


def blast(rows: list[tuple[str, str, str]]) -> str:
    return "".join(ROW.format(q=query, s=subject, e=text, b=50) for query, subject, text in rows)


@pytest.mark.parametrize("seed", few_of(range(3), 1))
def test_one_command_gives_tap_and_roc_as_the_published_program_has_them(
    command: Command, tmp_path: Path, seed: int
) -> None:
    rows = search(seed)
    table = write(tmp_path / "hits.m8", blast(rows))
    families = write(tmp_path / "families.tsv", "".join(f"{name}\t{family}\n" for name, family in FAMILIES.items()))
    queries = write(tmp_path / "queries.fasta", "".join(f">{name} a protein\nMKV\n" for name in PROTEINS[:40]))
    measures = [f"TAP@{k}" for k in KS] + ["ROC@50", "ROC@5"]
    done = command(
        *("eval", families, table, "--form", "families", "--queries", queries, "--format", "csv"),
        *("-m", ",".join(measures)),
    )
    assert done.returncode == 0, done.stderr
    header, line = done.stdout.splitlines()
    ours = dict(zip(header.split(",")[2:], map(float, line.split(",")[2:]), strict=True))
    ranking = ranked(rows)
    for k in KS:
        theirs = by_the_program(ranking, k)
        assert ours[f"TAP@{k}"] == pytest.approx(theirs.tap, abs=1e-12), k
        cut = re.search(rf"TAP@{k} at (\S+?)(,|$)", done.stderr, re.MULTILINE)
        assert cut is not None, done.stderr
        assert float(cut[1]) == pytest.approx(theirs.e0, rel=1e-5)
        assert k > 1 or re.fullmatch(r"\d(\.\d+)?e-\d+", cut[1])  # a small E-value as such
    for n in (5, 50):
        mean = sum(roc(ranking[query], relatives(query), n) for query in ranking) / len(ranking)
        assert ours[f"ROC@{n}"] == pytest.approx(mean, abs=1e-12), n
    selves = sum(query == subject for query, subject, _ in rows)
    again = len(rows) - sum(map(len, ranking.values())) - selves
    assert f"{again:,} further alignments of the same pair left out" in done.stderr
    assert f"{selves} hits of the query itself left out; --with-self keeps them" in done.stderr
    assert "read as BLAST tabular (outfmt 6), lower E-values being better" in done.stderr


@pytest.mark.long
def test_very_small_evalues_are_kept_and_printed(command: Command, tmp_path: Path) -> None:
    rows = [("q1", "a", "3e-320"), ("q1", "b", "2e-180"), ("q1", "c", "e-105"), ("q1", "d", "0.0")]
    write(tmp_path / "hits.m8", blast(rows))
    write(tmp_path / "pairs.tsv", "q1\ta\nq1\tc\n")
    assert command("load", "qrels", "pairs.tsv", "--form", "pairs").returncode == 0
    loaded = command("load", "runs", "hits.m8")
    assert "read as BLAST tabular" in loaded.stderr
    asked = command("sql", "select document, score from rankings order by rank").stdout.split()
    assert asked[-8:] == ["d", "0.0000", "a", "3e-320", "b", "2e-180", "c", "1e-105"]
    assert "cut of hits: TAP@2 at 2e-180" in command("leaderboard", "-m", "TAP@2").stderr


def test_columns_choose_another_score(empty: Warehouse, tmp_path: Path) -> None:
    path = write(tmp_path / "hits.m8", ROW.format(q="q", s="a", e="1e-5", b=50) + ROW.format(q="q", s="b", e="2", b=60))
    empty.load_runs(path, columns={"score": "bitscore"})
    held = "select document, score, tie_rule, lower_is_better from rankings join runs using (run) order by rank"
    assert empty.rows(held) == [("b", 60.0, "trec_eval", False), ("a", 50.0, "trec_eval", False)]


def test_the_query_itself_is_kept_where_it_is_wanted(empty: Warehouse, tmp_path: Path) -> None:
    path = write(tmp_path / "hits.m8", "# BLASTP 2.16.0+\n" + blast([("q", "q", "0.0"), ("q", "a", "1e-9")]))
    count = "select count(*) from rankings where run = 'hits'"
    empty.load_runs(path)
    assert empty.loader.notices[0] == "read as BLAST tabular (outfmt 7), lower E-values being better"
    assert empty.rows(count) == [(1,)]
    empty.load_runs(path, with_self=True, replace=True)
    assert empty.rows(count) == [(2,)]
    trec = write(tmp_path / "dense.run", "q Q0 q 1 2 x\nq Q0 a 2 1 x\n")
    empty.load_runs(trec)
    empty.load_runs(trec, name="others", with_self=False)
    kept = "select run, count(*) from rankings where run <> 'hits' group by run order by run"
    assert empty.rows(kept) == [("dense", 2), ("others", 1)]
    assert empty.loader.notices == ["read as TREC", "1 hit of the query itself left out; --with-self keeps them"]


def test_frames_with_a_column_of_evalues_are_runs_of_them(empty: Warehouse) -> None:
    rows = [("q", "q", 0.0), ("q", "a", 1e-9), ("q", "a", 1e-3), ("q", "b", 1e-12)]
    names = ["qseqid", "sseqid", "evalue"]
    for data in (pandas.DataFrame(rows, columns=names), [dict(zip(names, row, strict=True)) for row in rows]):
        with pytest.warns(InputWarning, match="1 further alignment of the same pair left out"):
            empty.load_run(data, "r", replace=True)
        ranked = empty.rows("select document, lower_is_better from rankings join runs using (run) order by rank")
        assert ranked == [("b", True), ("a", True)]
    with pytest.raises(UsageError, match="pass lower_is_better=True"):
        evalsql.evaluate({"q": {"a": 1}}, pandas.DataFrame(rows[1:2], columns=names), "AP")


def test_families_and_pairs_make_judgments(empty: Warehouse, tmp_path: Path) -> None:
    judged = "select topic, document, grade from judgments where qrels = 'j' order by all"
    members = [("a", "f1"), ("b", "f1"), ("b", "f2"), ("c", "f2"), ("d", "f3"), ("a", "f1")]
    pairs = [("a", "b", 1), ("b", "a", 1), ("b", "c", 1), ("c", "b", 1)]
    unnamed = "queries, the query itself left out; --queries, in Python queries=, names those that were searched for"
    texts = {
        "j.txt": "".join(f"{name} {family}\n" for name, family in members),
        "j.tsv": "# made by hand\n" + "".join(f"{name}\t{family}\n" for name, family in members),
        "j.csv": "family,id,length\n" + "".join(f"{family},{name},9\n" for name, family in members),
    }
    for name, text in texts.items():
        empty.load_qrels(write(tmp_path / name, text), form="families", replace=True)
        assert empty.rows(judged) == pairs, name
        assert any(f"4 relevant pairs of 3 {unnamed}" in notice for notice in empty.loader.notices)
    empty.load_qrels(members, "j", form="families", queries=["b", "x"], replace=True)
    assert empty.rows(judged) == pairs[1:3]
    assert empty.loader.notices[0] == "1 of 2 queries are in no family and are no topics, such as x"
    assert not any("--queries" in notice for notice in empty.loader.notices)
    empty.load_qrels([*((a, b) for a, b, _ in pairs), ("a", "a")], "j", form="pairs", replace=True)
    assert empty.rows(judged) == pairs
    empty.load_qrels({"a": ["b"], "b": ["a", "c"], "c": ["b"]}, "j", form="pairs", replace=True)
    assert empty.rows(judged) == pairs
    path = write(tmp_path / "j", "a\ta\na\tb\n")
    (told,) = warned(partial(empty.load_qrels, path, form="pairs", replace=True))
    left_out = "j: pairs: 1 pair of a topic and a document of its name left out, such as a; "
    assert f"{left_out}--with-self, in Python with_self=True, keeps them" in told
    assert not warned(partial(empty.load_qrels, path, form="pairs", replace=True, with_self=True))
    assert empty.rows(judged) == [("a", "a", 1), ("a", "b", 1)]


def test_files_of_evalues_and_others_make_no_run(empty: Warehouse, tmp_path: Path) -> None:
    good = ROW.format(q="q", s="a", e="1e-5", b=5)
    mixed = [write(tmp_path / "a.m8", good), write(tmp_path / "b.run", "q Q0 d 1 5 x\n")]
    with pytest.raises(InputError, match="made of files with E-values and of files with other scores"):
        empty.load_runs(mixed, name="both")
