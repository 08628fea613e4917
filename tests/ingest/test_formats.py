"""Every format of runs and judgments gives the figures of the same data as TREC files; others are refused by name."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import sys
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import evalsql
from evalsql import EvalsqlError, InputError, Warehouse
from tests.conftest import SAMPLE, Command, new_warehouse, write
from tests.ingest.sample_rows import QRELS, RUN, TREC_QRELS, TREC_RUN
from tests.ingest.topic_variants import TOPICS_FILES, TOPICS_FRAMES
from tests.ingest.variants import ALIGNED, FRAMES, MEASURES, ODD_RUNS, QRELS_FILES, QRELS_FRAMES, RANKINGS, RUNS, nested
from tests.long_cases import few_of
from tests.tools import formats_table
from tests.tools.formats_table import GUIDE, format_of

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd


RANKS = "select topic, document, rank from rankings where run = 'r' order by all"
GRADES = "select topic, document, grade from judgments where qrels = 'q' order by all"
Rows = list[tuple[Any, ...]]


@pytest.fixture(scope="module")
def shared() -> Iterator[Warehouse]:
    """One warehouse in memory for all formats, each load taking the place of the one before."""
    with new_warehouse() as warehouse:
        warehouse.load_qrels(SAMPLE / "qrels.txt", "judged")
        yield warehouse


@pytest.fixture(scope="module")
def ranks(shared: Warehouse, tmp_path_factory: pytest.TempPathFactory) -> Rows:
    """The ranks of the TREC file, on which all figures rest."""
    shared.load_runs(write(tmp_path_factory.mktemp("trec") / "r.run", TREC_RUN), name="r", qrels="judged")
    return shared.rows(RANKS)


@pytest.fixture(scope="module")
def grades() -> Rows:
    return sorted((topic, document, grade) for topic, document, grade, _ in QRELS)


@pytest.mark.parametrize("kind", RUNS)
def test_a_run_of_any_format_has_the_ranks_of_its_trec_file(
    shared: Warehouse, tmp_path: Path, kind: str, ranks: Rows
) -> None:
    name, content = RUNS[kind]
    shared.load_runs(write(tmp_path / name, content), name="r", qrels="judged", replace=True)
    assert shared.rows(RANKS) == ranks
    ((count, rule, lower),) = shared.rows(
        "select (select count(*) from retrieved), tie_rule, lower_is_better from runs"
    )
    assert count == len(RUN)
    holds_evalues = kind.startswith(ALIGNED) or "E-values" in kind
    assert lower == holds_evalues
    assert rule == ("rank" if kind in RANKINGS else "trec_eval_10" if lower else "trec_eval")
    told = shared.loader.notices[0]
    assert told.startswith("read as TREC") == kind.startswith(("TREC", "tar archive"))
    assert told.endswith(", lower E-values being better") == holds_evalues
    assert shared.rows("select table_name from duckdb_tables() where temporary") == []


@pytest.mark.parametrize("kind", QRELS_FILES)
def test_judgments_of_any_format_have_the_grades_of_their_trec_file(
    shared: Warehouse, tmp_path: Path, kind: str, grades: Rows
) -> None:
    name, content = QRELS_FILES[kind]
    shared.load_qrels(write(tmp_path / name, content), "q", replace=True)
    assert shared.rows(GRADES) == grades
    assert shared.loader.notices[0].startswith("read as ")


def piped(monkeypatch: pytest.MonkeyPatch, content: bytes) -> str:
    """Standard input that holds this."""
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
    return "-"


@pytest.mark.parametrize("kind", few_of(reversed(RUNS)))
def test_a_run_of_any_format_comes_from_standard_input(
    shared: Warehouse, kind: str, ranks: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared.load_runs(piped(monkeypatch, RUNS[kind][1]), name="r", qrels="judged", replace=True)
    assert shared.rows(RANKS) == ranks


@pytest.mark.parametrize("kind", few_of(QRELS_FILES))
def test_judgments_of_any_format_come_from_standard_input(
    shared: Warehouse, kind: str, grades: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared.load_qrels(piped(monkeypatch, QRELS_FILES[kind][1]), "q", replace=True)
    assert shared.rows(GRADES) == grades


@pytest.mark.parametrize("kind", ODD_RUNS)
def test_odd_runs_have_the_ranks_of_their_trec_file(shared: Warehouse, tmp_path: Path, kind: str, ranks: Rows) -> None:
    path = write(tmp_path / "r", ODD_RUNS[kind])
    shared.load_runs(path, name="r", qrels="judged", replace=True)
    assert shared.rows(RANKS) == ranks


def test_a_negative_grade_may_come_first(shared: Warehouse, tmp_path: Path, grades: Rows) -> None:
    content = b"T01 nowhere -1\n" + QRELS_FILES["text of three columns"][1]
    shared.load_qrels(write(tmp_path / "q.txt", content), "q", replace=True)
    assert shared.rows(GRADES) == sorted([*grades, ("T01", "nowhere", -1)])


_OTHERS = [name for name in GUIDE if name not in map(format_of, (*FRAMES, *QRELS_FRAMES, *TOPICS_FRAMES))]


@pytest.mark.parametrize("name", _OTHERS)
def test_a_format_of_the_other_kind_is_refused_by_its_name(shared: Warehouse, tmp_path: Path, name: str) -> None:
    """What the guide's table says no to."""
    runs, judged, topics = (
        [content for kind, (_, content) in files.items() if format_of(kind) == name]
        for files in (RUNS, QRELS_FILES, TOPICS_FILES)
    )
    given = write(tmp_path / "given", (runs or judged or topics)[0])
    if not judged:
        with pytest.raises(EvalsqlError, match=SAID.get(name, name.partition(" ")[0])):
            shared.load_qrels(given, "other")
    if not runs:
        with pytest.raises(EvalsqlError, match=SAID.get(name, name)):
            shared.load_runs(given, name="other", qrels="judged")
    if not topics:
        with pytest.raises(EvalsqlError, match=REFUSED_TOPICS):
            shared.load_topics(given, qrels="judged")


# What a file that holds no topics is told, by what one sees in it.
REFUSED_TOPICS = "topic<TAB>text|more than two columns|is Arrow|is a tar|fields, such as|says nothing of its topics"
# Formats that another name says more of where they are refused.
SAID = {
    "DIAMOND": "BLAST tabular",
    "MMseqs2": "BLAST tabular",
    "Quepid": "CSV",
    "TREC topics, SGML": "TREC topics",
    "TREC topics, XML": "an XML document",
    "JSON texts": "JSON: topic 1",
    "text of three columns": "the same ranks again and again",
}


@pytest.mark.parametrize("kind", FRAMES)
def test_a_frame_is_whatever_holds_rows(shared: Warehouse, kind: str, ranks: Rows) -> None:
    shared.load_run(FRAMES[kind](), "r", qrels="judged", replace=True)
    assert shared.rows(RANKS) == ranks


@pytest.mark.parametrize("kind", few_of(reversed(FRAMES)))
def test_frames_are_evaluated_at_once(kind: str) -> None:
    """Without a warehouse to keep them in; what each kind holds is tried above."""
    expected = evalsql.evaluate(nested(QRELS), nested(RUN), MEASURES)
    assert evalsql.evaluate(nested(QRELS), FRAMES[kind](), MEASURES) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("kind", QRELS_FRAMES)
def test_a_frame_of_judgments_is_whatever_holds_rows(shared: Warehouse, kind: str, grades: Rows) -> None:
    shared.load_qrels(QRELS_FRAMES[kind](), "q", replace=True)
    assert shared.rows(GRADES) == grades


PACKS = (gzip.compress, zstd.compress, bz2.compress, lzma.compress)


@pytest.mark.parametrize(
    ("pack", "kind"),
    [
        *((pack, "TREC") for pack in PACKS),
        *zip(PACKS, ("Feather", "CSV", "JSON dict of dicts", "Parquet"), strict=True),
        *few_of(product(PACKS, ("CSV", "JSON dict of dicts", "Parquet")), 0),
    ],
)
def test_every_compression_is_told_by_the_content(
    shared: Warehouse, tmp_path: Path, pack: Callable[[bytes], bytes], kind: str, ranks: Rows, grades: Rows
) -> None:
    shared.load_runs(write(tmp_path / "r", pack(RUNS[kind][1])), name="r", qrels="judged", replace=True)
    assert shared.rows(RANKS) == ranks
    if kind == "TREC":
        shared.load_qrels(write(tmp_path / "q", pack(TREC_QRELS.encode())), "q", replace=True)
        assert shared.rows(GRADES) == grades


@pytest.mark.parametrize(("name", "pack"), [("r.csv.bz2", bz2.compress), ("r.csv.xz", lzma.compress)])
def test_a_run_is_called_by_its_stem(
    shared: Warehouse, tmp_path: Path, name: str, pack: Callable[[bytes], bytes]
) -> None:
    path = write(tmp_path / name, pack(RUNS["CSV"][1]))
    assert shared.load_runs(path, qrels="judged", replace=True) == ["r"]


def test_commands_say_which_formats_they_take(command: Command, tmp_path: Path) -> None:
    asked = ("-m", "nDCG@10", "-m", "AP", "--format", "csv")
    qrels, bm25 = write(tmp_path / "q.txt", TREC_QRELS), write(tmp_path / "run.run", TREC_RUN)
    trec = command("eval", qrels, "-", *asked, stdin=TREC_RUN)
    assert trec.stdout.startswith("qrels,run,")
    assert "read as" not in trec.stderr
    done = command("eval", qrels, "-", *asked, stdin=RUNS["BLAST tabular, -outfmt 7"][1].decode())
    assert done.stdout == trec.stdout
    assert done.stderr.startswith("judgments read as TREC\nruns read as BLAST")
    judged = write(tmp_path / "q.parquet", QRELS_FILES["Parquet"][1])
    assert command("eval", judged, "-", *asked, stdin=TREC_RUN).stdout == trec.stdout
    loaded = command("load", "qrels", judged, "--name", "q")
    assert loaded.stderr.strip().endswith("; read as Parquet")
    several = command("load", "runs", write(tmp_path / "r.parquet", RUNS["Parquet"][1]), bm25)
    assert several.stderr.splitlines()[0].endswith("; read as Parquet (1 file), TREC (1 file)")


# The guide


def test_the_table_of_formats_in_the_guide_is_that_of_the_tests() -> None:
    text = formats_table.PAGE.read_text(encoding="utf-8")
    assert formats_table.table() in text
    assert formats_table.page(text) == text
    used = set(map(format_of, (*RUNS, *QRELS_FILES, *FRAMES, *QRELS_FRAMES, *TOPICS_FILES, *TOPICS_FRAMES)))
    assert used == set(GUIDE)


def test_a_header_of_trec_columns_is_left_to_their_reader(shared: Warehouse, tmp_path: Path) -> None:
    text = "topic Q0 docid rank score qid\nT1 Q0 b 1 2.0 tag\nT1 Q0 a 2 1.0 tag\n"
    shared.load_runs(write(tmp_path / "headed.run", text), name="headed", replace=True, qrels="judged")
    found = shared.rows(
        "select topic, document, tag from rankings join runs using (run) where run = 'headed' order by rank"
    )
    assert found == [("T1", "b", "tag"), ("T1", "a", "tag")]


@pytest.mark.parametrize("indent", [None, 1])
def test_json_that_is_not_utf8_is_refused_with_its_line(shared: Warehouse, tmp_path: Path, indent: int | None) -> None:
    content = json.dumps({"T01": {"d1": 1.0, "dé": 2.0}}, ensure_ascii=False, indent=indent).encode("latin-1")
    with pytest.raises(InputError, match=rf"n:{4 if indent else 1}: JSON: not UTF-8 text"):
        shared.load_runs(write(tmp_path / "n", content), qrels="judged")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16_is_told_with_and_without_its_mark(shared: Warehouse, tmp_path: Path, encoding: str) -> None:
    with pytest.raises(InputError, match=r"n: is text in UTF-16, .* as UTF-8"):
        shared.load_runs(write(tmp_path / "n", TREC_RUN.encode(encoding)), qrels="judged")
