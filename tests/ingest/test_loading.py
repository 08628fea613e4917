"""Loading runs and judgments from files: every form they take, both readers, and all or nothing."""

import gzip
import hashlib
import random
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from evalsql import InputError, UsageError, Warehouse
from evalsql.errors import Problem
from evalsql.ingest import judgments as ingest_qrels
from evalsql.ingest import run_loading as ingest_runs
from evalsql.ingest.files import trec_text
from evalsql.ingest.files.input_files import open_one_source
from evalsql.ingest.files.source import _zstd as zstd
from evalsql.ingest.load_options import TIE_RULES
from tests.conftest import SAMPLE, new_warehouse, write
from tests.long_cases import few_of

PLAIN = "t1 Q0 d1 1 2.5 tag\nt1 Q0 d2 2 1.5 tag\nt2 Q0 d1 1 -1e-3 tag\n"
ROWS = [("t1", 1, "d1", 2.5), ("t1", 2, "d2", 1.5), ("t2", 1, "d1", -0.001)]
QRELS = "t1 0 d1 1\nt1 0 d2 0\nt2 0 d1 2\n"
EVERYTHING = "select topic, rank, document, score from rankings order by topic, rank"


@pytest.fixture
def judged(empty: Warehouse, tmp_path: Path) -> Warehouse:
    empty.load_qrels(write(tmp_path / "q.txt", QRELS))
    return empty


def test_names_with_brackets_blanks_globs_and_tildes(
    judged: Warehouse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("FSDM [d].run", "a*b.run", "what?.run", "it's.run"):
        write(tmp_path / "runs" / name, PLAIN)
    assert judged.load_runs(tmp_path / "runs" / "FSDM [d].run") == ["FSDM [d]"]
    assert judged.load_runs(tmp_path / "runs" / "a*b.run") == ["a*b"]
    with pytest.raises(UsageError, match="already loaded: FSDM"):
        judged.load_runs(str(tmp_path / "runs" / "*.run"))
    assert len(judged.load_runs(str(tmp_path / "runs" / "*.run"), replace=True)) == 4
    assert judged.rows("select count(*) from retrieved") == [(12,)]
    monkeypatch.chdir(tmp_path)
    bad = [str(write(Path(name), PLAIN + "t3 Q0 d1\n")) for name in ("~/bad[1].run", "runs/worse?.run")]
    with pytest.raises(InputError) as caught:
        judged.load_runs(bad)
    assert [(problem.file, problem.line) for problem in caught.value.problems] == [(path, 4) for path in bad]


def mutated(chance: random.Random, line: str) -> str:
    """The line with other white space, a longer tag or none, or something wrong."""
    columns = line.split()
    kind = chance.random()
    if kind < 0.1:
        columns = columns[:5]
    elif kind < 0.2:
        columns.append("more")
    elif kind < 0.25:
        columns[chance.randrange(6)] = chance.choice(("#x", "nan", '"', "1_0", "é", "", "-"))
    separators = (" ",) * 8 + ("\t", "  ", " \t", "\t\t")
    return "".join(column + chance.choice(separators) for column in columns) + chance.choice(("", "", " ", "\r"))


def mutated_judgment(chance: random.Random, line: str) -> str:
    """The line with other white space, a column more or less, or another value in one of them."""
    columns = line.split()
    kind = chance.random()
    if kind < 0.1:
        columns = columns[:3] if kind < 0.05 else [*columns, "more"]
    elif kind < 0.35:
        columns[chance.randrange(4)] = chance.choice(("#x", "nan", '"', "1_0", "é", "-1", "+1", "1.0", "1.5", "4e9"))
    return "".join(column + chance.choice((" ", " ", "\t", "  ", " \t")) for column in columns) + chance.choice("  \r")


@pytest.mark.parametrize("seeds", few_of([range(13), range(13, 150)], 1), ids=["few", "more"])
@pytest.mark.parametrize("kind", few_of(["qrels", "runs"], 1))
def test_both_readers_give_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, seeds: range) -> None:
    """Mutated files: the engine's reader and the exact one agree on rows, tags, comments and refusals."""
    source, mutate, share, held = {
        "runs": ("runs/bm25.run", mutated, (0.1, 1), "select tag, comments, num_tags from runs"),
        "qrels": ("qrels.txt", mutated_judgment, (0.02, 0.15), "select comments, duplicates from qrels"),
    }[kind]
    lines = [line for line in (SAMPLE / source).read_text().splitlines() if not line.startswith("#")][:20]
    by_engine: list[bool] = []
    stage_clean = ingest_qrels._stage_clean

    def staged(*arguments: Any) -> int:
        found = stage_clean(*arguments)
        by_engine.append(found > 0)
        return found

    monkeypatch.setattr(ingest_qrels, "_stage_clean", staged)
    outcomes: list[list[str]] = [[], []]
    for exact, found in enumerate(outcomes):
        if exact:
            monkeypatch.setattr(ingest_runs, "first_notes", lambda text: None)
            monkeypatch.setattr(ingest_qrels, "_stage_clean", lambda *arguments: 0)
        with new_warehouse() as warehouse:
            for seed in seeds:
                chance = random.Random(seed)
                often = chance.choice(share)
                some = [mutate(chance, line) if chance.random() < often else line for line in lines]
                path = write(tmp_path / f"mutated.{kind}", "\n".join(some * chance.choice((1, 1, 1, 2))))
                keep_best = chance.random() < 0.3
                try:
                    if kind == "runs":
                        warehouse.load_runs(path, replace=True, keep_best=keep_best)
                    else:
                        form = chance.choice(("grades", "groups"))
                        warehouse.load_qrels(path, replace=True, form=form, keep_best=keep_best)
                    rows = warehouse.rows(EVERYTHING) + warehouse.rows("from judgments")
                    found.append(f"{warehouse.rows(held)} {sorted(map(str, rows))}")
                except InputError as error:
                    found.append(str(error))
    assert outcomes[0] == outcomes[1]
    assert 2 < sum("nothing was loaded" in outcome for outcome in outcomes[0]) < len(seeds) - 2
    assert kind == "runs" or sum(by_engine) > 2, "the engine's reader has hardly been tried"


def test_all_problems_of_all_files_are_listed_the_first_twenty_whole(judged: Warehouse, tmp_path: Path) -> None:
    first = write(tmp_path / "first.run", "t1 Q0 d1 1 x tag\n" * 15)
    second = write(tmp_path / "second.run", PLAIN + "t1 Q0\n" * 15)
    with pytest.raises(InputError) as caught:
        judged.load_runs([first, second, write(tmp_path / "empty.run", "# nothing\n")])
    assert caught.value.count >= 30
    assert (len(caught.value.problems), caught.value.problems[0].line) == (20, 1)
    assert "first.run:1: " in str(caught.value)
    assert f"{caught.value.count} problems in all" in str(caught.value)
    for table in ("runs", "retrieved", "run_topics", "evaluations", "judged_ranks"):
        assert judged.rows(f"select count(*) from {table}") == [(0,)]
    assert judged.rows("select document from documents order by 1") == [("d1",), ("d2",)]


def test_files_that_are_not_there_empty_or_broken(judged: Warehouse, tmp_path: Path) -> None:
    plain = write(tmp_path / "r.run", PLAIN)
    cut = write(tmp_path / "cut.run.gz", gzip.compress(PLAIN.encode() * 999)[:60])
    (tmp_path / "folder").mkdir()
    same = [write(tmp_path / name, PLAIN) for name in ("system.run", "system.txt")]
    cases: list[tuple[Any, str]] = [
        ([tmp_path / "absent.run", tmp_path / "*.absent"], "absent.run: no such file"),
        (write(tmp_path / "empty.run", ""), "empty.run: holds no rows"),
        (cut, "cut.run.gz: cannot be read"),
        ([plain, plain], "r.run: named twice\n"),
        (tmp_path, "cut.run.gz: cannot be read"),
        (tmp_path / "folder", "folder: holds no run"),
        (same, r"system.txt: run \S*system comes from .*system.run as well"),
    ]
    for paths, complaint in cases:
        with pytest.raises(InputError, match=complaint):
            judged.load_runs(paths)


def test_files_of_one_name_are_told_apart_by_their_folders(judged: Warehouse, tmp_path: Path) -> None:
    places = ("a/system.run", "b/system.run.gz", "c/x/other.run", "d/x/other.run", "single.run")
    paths = [
        write(tmp_path / place, gzip.compress(PLAIN.encode()) if place.endswith("gz") else PLAIN) for place in places
    ]
    assert judged.load_runs(paths) == ["a/system", "b/system", "c/x/other", "d/x/other", "single"]


def test_keep_best_keeps_the_best_place(judged: Warehouse, tmp_path: Path) -> None:
    path = write(tmp_path / "twice.run", "t1 Q0 a 1 3 x\nt1 Q0 b 2 2 x\nt1 Q0 a 3 1 x\nt1 Q0 c 4 0.5 x\n")
    for rule in TIE_RULES:
        judged.load_runs(path, tie_rule=rule, keep_best=True, replace=True)
        assert judged.rows(EVERYTHING) == [("t1", 1, "a", 3.0), ("t1", 2, "b", 2.0), ("t1", 3, "c", 0.5)], rule
        assert judged.rows("select duplicates, num_ret from runs, run_topics") == [(1, 3)]


def test_several_tags_are_counted_and_the_last_one_kept(judged: Warehouse, tmp_path: Path) -> None:
    texts = {
        "one": PLAIN,
        "two": PLAIN.replace("d2 2 1.5 tag", "d2 2 1.5 other"),
        "none": PLAIN.replace(" tag", ""),
        "late": PLAIN.replace(" tag", "", 1).replace(" tag", " my tag"),
    }
    judged.load_runs([write(tmp_path / f"{name}.run", text) for name, text in texts.items()])
    parts = [write(tmp_path / f"part{n}.run", PLAIN.replace("t1", f"a{n}").replace("t2", f"b{n}")) for n in (1, 2)]
    judged.load_runs(parts, name="parts")
    tags = {"late": ("my tag", 1), "none": (None, 0), "one": ("tag", 1), "parts": ("tag", 1), "two": ("tag", 2)}
    found = judged.rows("select run, tag, num_tags from runs order by run")
    assert found == [(run, *tag) for run, tag in tags.items()]


def test_what_is_known_of_a_run_is_kept(judged: Warehouse, tmp_path: Path) -> None:
    text = "# team: us\n# method: bm25\n" + PLAIN
    path = write(tmp_path / "system.run", text)
    judged.load_runs(path, meta={"lr": "0.1"})
    ((tag, comments, meta, age),) = judged.rows("""
        select tag, comments, meta['lr'], (current_timestamp at time zone 'UTC') - loaded_at < interval 1 minute
        from runs
    """)
    assert (tag, comments, meta, age) == ("tag", "# team: us\n# method: bm25", "0.1", True)
    digest = hashlib.sha256(text.encode()).hexdigest()
    assert judged.rows("select file, sha256, bytes, num_rows from files where kind = 'run'") == [
        (str(path), digest, len(text), 3)
    ]


def test_keep_best_keeps_the_best_grade(empty: Warehouse, tmp_path: Path) -> None:
    empty.load_qrels(write(tmp_path / "q.txt", QRELS + "t1 0 d2 3\n"), keep_best=True)
    assert empty.rows("select grade from judgments where document = 'd2'") == [(3,)]
    assert empty.rows("select duplicates from qrels") == [(1,)]


def test_runs_and_judgments_come_together_in_any_order(empty: Warehouse, tmp_path: Path) -> None:
    run = write(tmp_path / "system.run", PLAIN)
    first, second = write(tmp_path / "first.txt", QRELS), write(tmp_path / "second.txt", "t1 0 d2 1\nt3 0 d3 1\n")
    empty.load_runs(run)
    assert empty.rows("select count(*) from ap") == [(0,)]
    empty.load_qrels(first, runs=["sys*"])
    empty.load_qrels(second, runs=["system"])
    expected = [("first", "t1", 1.0), ("first", "t2", 1.0), ("second", "t1", 0.5), ("second", "t3", 0.0)]
    assert empty.rows("select qrels, topic, value from ap order by all") == expected
    with pytest.raises(UsageError, match="several judgment sets, say which"):
        empty.load_runs(write(tmp_path / "other.run", PLAIN))
    # A run that takes the place of another keeps to its judgment sets.
    for options in ({}, {"qrels": "first"}, {"qrels": ["*"]}):
        empty.load_runs(run, replace=True, **options)
        assert empty.rows("select qrels, topic, value from ap order by all") == expected
    with pytest.raises(UsageError, match="already loaded"):
        empty.load_qrels(second)
    empty.load_qrels(write(tmp_path / "second.txt", "t1 0 d1 1\n"), replace=True)
    assert empty.rows("select topic, value from ap where qrels = 'second'") == [("t1", 1.0)]
    covered = "select qrels, missing_topics, extra_topics from coverage order by qrels"
    assert empty.rows(covered) == [("first", 0, 0), ("second", 0, 1), ("second@1", 1, 1)]
    with pytest.raises(UsageError, match='no judgment set is called "frist"; nearest: first'):
        empty.load_runs(run, replace=True, qrels=["frist"])
    used = "from judged_ranks join evaluations using (evaluation_id) join qrels using (qrels_id)"
    assert empty.rows(f"select count(*) {used} where replaced_at is null") == [(4,)]


def test_batches_do_not_change_the_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[list[tuple[object, ...]]] = []
    for size in (1, ingest_runs.BATCH_BYTES):
        monkeypatch.setattr(ingest_runs, "BATCH_BYTES", size)
        with new_warehouse() as warehouse:
            warehouse.load_qrels(SAMPLE / "qrels.txt", "sample")
            warehouse.load_runs(str(SAMPLE / "runs" / "rerank-*.run"))
            found.append(
                warehouse.rows("select run, topic, rank, document, score from rankings order by all")
                + warehouse.rows("""
                    select run, topic_id, judged_ranks.* exclude (evaluation_id)
                    from judged_ranks join evaluations using (evaluation_id) join runs using (run_id) order by all
                """)
            )
    assert found[0] == found[1]


@pytest.mark.parametrize("ending", [".gz", ".zst", ""])
def test_blank_lines_cost_only_reading_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str) -> None:
    text = b"\n" * 5_000 + b" \t\r\n" * 5_000 + b"q1 Q0 d1 1 1.5 tag\n" + b"\n" * 5_000 + b"q1 Q0 d2 bad\n"
    compress = {".gz": gzip.compress, ".zst": zstd().compress, "": bytes}[ending]
    path = write(tmp_path / f"r.run{ending}", compress(text))
    split = Mock(wraps=trec_text.split)
    monkeypatch.setattr(trec_text, "split", split)
    problems: list[Problem] = []
    with open_one_source(path, "runs") as source:
        rows = list(trec_text.run_rows(source, trec_text.Notes(), problems.append, rank_is_used=False))
    assert rows == [(10_001, ("q1", "d1", "1", "1.5"))]
    assert [problem.line for problem in problems] == [15_002]
    assert split.call_count == 2


# Each is also what a load calls rows of its own.
TAKEN = (
    *("all_ranks", "incoming_raw", "incoming_rows", "incoming_data", "family_queries"),
    *("staged_run_rows", "staged_qrels_rows", "staged_topics", "document_ids", "first_lines", "left_out"),
)


@pytest.mark.parametrize("kind", few_of(["table", "view"], 1))
def test_a_load_leaves_what_users_made_beside_it(empty_file: Warehouse, tmp_path: Path, kind: str) -> None:
    for name in TAKEN:
        empty_file.execute(f"create {kind} {name} as select 42 as answer")
    table = write(tmp_path / "q.csv", "topic,document,grade\nt,d,1\n")
    given = (
        (write(tmp_path / "q.txt", QRELS), "grades"),
        (table, "grades"),
        (write(tmp_path / "p.tsv", "t\td\n"), "pairs"),
    )
    for source, form in given:
        empty_file.load_qrels(source, source.name, form=form)
    empty_file.load_run({"t": {"d": 1.0}}, "rows", qrels="q.csv")
    empty_file.load_runs(write(tmp_path / "r.csv", "topic,document,score\nt,d,1\n"), qrels="q.csv")
    empty_file.load_runs(write(tmp_path / "r.run", "t Q0 d 1 1 x\n"), qrels="q.csv", replace=True)
    for name in TAKEN:
        assert empty_file.rows(f"from {empty_file.database.name}.main.{name}") == [(42,)], name
