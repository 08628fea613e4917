"""Texts of documents: every format gives the same, only what is held is kept, and what is left out is told."""

import gzip
import io
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pandas
import polars
import pyarrow
import pytest

import evalsql
from evalsql import InputError, UsageError, Warehouse
from evalsql.evaluation.notices import audits, findings
from evalsql.phrases import counted
from tests.conftest import Command, assert_refused, csv_rows, warned, write
from tests.ingest.variants import lines, parquet
from tests.long_cases import content, rows_of

TEXTS = {
    "d1": ("Rain", "what falls\nfrom “clouds”"),
    "d2": (None, "<b>snow</b> & ice"),
    "d3": ("\u05e9\u05dc\u05d2", None),
}
OTHERS = [("x1", "no run has it", "and no judgment")]
HELD = "select document, title, text from document_words order by document"


def rows(document: str, title: str, text: str, **more: Any) -> list[dict[str, Any]]:
    found = [*((name, *said) for name, said in TEXTS.items()), *OTHERS]
    return [{document: name, title: head or "", text: words or "", **more} for name, head, words in found]


def packed(found: list[dict[str, Any]]) -> bytes:
    return parquet(list(found[0]), [tuple(row.values()) for row in found])


def delimited(delimiter: str, *columns: str) -> str:
    """In one line each, since nothing is quoted."""
    cells = [[str(cell).replace("\n", " ") for cell in row.values()] for row in rows(*columns)]
    return "".join(delimiter.join(row) + "\n" for row in [columns, *cells])


IN_LINES = {name: (title, text and text.replace("\n", " ")) for name, (title, text) in TEXTS.items()}
FILES: dict[str, tuple[str | bytes, Any]] = {
    "BEIR": (lines(rows("_id", "title", "text", metadata={"url": "x"})), TEXTS),
    "BEIR, packed": (gzip.compress(lines(rows("_id", "title", "text"))), TEXTS),
    "JSON lines of other names": (lines(rows("docid", "headline", "contents")), TEXTS),
    "JSON lines of LangChain": (lines(rows("id", "title", "page_content")), TEXTS),
    "JSON list": (json.dumps(rows("id", "title", "body"), indent=1), TEXTS),
    "Parquet": (packed(rows("_id", "title", "text")), TEXTS),
    "TSV": (delimited("\t", "docno", "title", "text"), IN_LINES),
    "CSV, quoted": (
        'doc_id,title,text\nd1,Rain,"what falls\n\n  from “clouds”"\nd2,,<b>snow</b> & ice\nd3,שלג,\n',
        TEXTS,
    ),
    "three columns": (delimited("\t", "docno", "title", "text").partition("\n")[2], IN_LINES),
}
FRAMES: dict[str, Callable[[], Any]] = {
    "a dict": lambda: {name: {"title": title, "text": text} for name, (title, text) in TEXTS.items()},
    "dicts": lambda: rows("document", "title", "text"),
    "pandas": lambda: pandas.DataFrame(rows("docno", "title", "text")),
    "polars": lambda: polars.DataFrame(rows("docno", "title", "text")),
    "Arrow": lambda: pyarrow.Table.from_pylist(rows("docno", "title", "text")),
    "DuckDB": lambda: duckdb.sql("select 'd1' as docno, 'Rain' as title, 'what falls\nfrom “clouds”' as text"),
}


@pytest.fixture
def held(empty: Warehouse) -> Warehouse:
    empty.load_qrels({"1": {"d1": 1, "d2": 0}}, "weather")
    empty.load_run([("1", "d1", 2.0), ("1", "d3", 1.0), ("1", "d4", 0.5)], "run")
    return empty


def test_every_format_gives_the_same(held: Warehouse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, (given, expected) in FILES.items():
        path = write(tmp_path / "given", given)
        loaded = held.load_documents(path, replace=True)
        found = {document: tuple(said) for document, *said in held.rows(HELD)}
        assert found == expected, name
        assert (loaded.num_read, loaded.num_kept) == (3 if name.startswith("CSV") else 4, 3), name
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(path.read_bytes())))
        held.execute("delete from document_texts")
        held.load_documents("-")
        assert {document: tuple(said) for document, *said in held.rows(HELD)} == expected, f"{name}, standard input"
    for name, make in FRAMES.items():
        held.execute("delete from document_texts")
        held.load_documents(make())
        assert held.rows(HELD)[0] == ("d1", *TEXTS["d1"]), name
    held.execute("delete from document_texts")
    (tmp_path / "beir").mkdir()
    write(tmp_path / "beir" / "corpus.jsonl", lines(rows("_id", "title", "text")))
    held.load_documents(tmp_path / "beir")
    assert len(held.rows(HELD)) == 3
    assert held.rows("select num_rows from files where file = ?", [str(tmp_path / "beir" / "corpus.jsonl")]) == [(3,)]


def test_what_is_kept_and_cut(held: Warehouse, tmp_path: Path) -> None:
    loaded = held.load_documents({"d1": "abcdef", "d2": "abc", "d3": " ", "x": "y" * 9}, judged_only=True, characters=3)
    assert loaded == (4, 2, 2, 0, 0, 1)
    assert held.rows(HELD) == [("d1", None, "abc…"), ("d2", None, "abc")]
    told = warned(lambda: held.load_documents(rows("id", "title", "text") + rows("id", "title", "text")))
    assert told == ["in memory: 3 rows left out, whose document stands above already: d1, d2, d3"]
    assert [text for _, _, text in held.rows(HELD)] == ["abc…", "abc", None], "texts that are there stay"
    held.load_documents({"d1": "new"}, replace=True)
    assert held.rows(HELD)[0] == ("d1", None, "new")
    assert held.load_documents({"d4": "", "d1": "x"}).num_empty == 1


def test_a_corpus_is_read_in_parts(held: Warehouse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evalsql.ingest.files.text_reading.ROWS_TOGETHER", 7)
    monkeypatch.setattr("evalsql.ingest.document_texts._LETTERS_TOGETHER", 30)
    corpus = [{"_id": f"d{number}", "text": f"text {number} " * (number % 5)} for number in range(100)]
    random.Random(1).shuffle(corpus)
    held.load_run([("1", f"d{number}", number) for number in range(1, 100, 3)], "many")
    wanted = {f"d{number}" for number in [1, 2, 3, 4, *range(1, 100, 3)]}
    expected = {row["_id"]: row["text"].strip() for row in corpus if row["_id"] in wanted and row["text"]}
    for given in (lines(corpus), packed(corpus)):
        held.execute("delete from document_texts")
        held.load_documents(write(tmp_path / "corpus", given))
        assert {document: text for document, _, text in held.rows(HELD)} == expected


@pytest.mark.long
def test_texts_follow_their_documents(held: Warehouse) -> None:
    held.load_documents({"d1": "one", "d2": "two", "d3": "three", "d4": "four"})
    held.drop_runs("run")
    assert [document for document, *_ in held.rows(HELD)] == ["d1", "d2"]
    assert not findings(held.evaluation, audits(held.catalog))
    held.drop_qrels("*")
    assert held.rows("select count(*) from document_texts union all select count(*) from files") == [(0,), (0,)]
    with pytest.raises(UsageError, match="no document is held whose text could be kept"):
        held.load_documents({"d1": "one"})


REFUSED = [
    *(
        (content(given), told)
        for of, given, told in rows_of(Path(__file__).with_name("refusals.tsv"))
        if of == "documents"
    ),
    (b"PAR1" + b"\1" * 50, "given: cannot be read: "),
    (gzip.compress(b"d1\tx\n" * 99)[:20], "given: cannot be read: Compressed file ended"),
]


def test_what_is_wrong_is_told_and_nothing_is_loaded(held: Warehouse, tmp_path: Path) -> None:
    for given, complaint in REFUSED:
        with pytest.raises(InputError) as raised:
            held.load_documents(write(tmp_path / "given", given))
        assert complaint in str(raised.value), (given, str(raised.value))
        assert held.rows("select count(*) from document_texts") == [(0,)], given
    with pytest.raises(UsageError, match="columns are named for document, title, text, and topic is none of them"):
        held.load_documents({"d1": "x"}, columns={"topic": "x"})
    assert held.load_documents(write(tmp_path / "given", f"d1\t{'x' * 200_000}\n")).num_cut == 1  # a long first line


@pytest.mark.long
def test_the_command_tells_what_it_left_out(command: Command, demo: Command, tmp_path: Path) -> None:
    texts = [{"_id": f"doc-{number:04}", "title": "t" * 30, "text": "x"} for number in range(1, 400)]
    write(tmp_path / "corpus.jsonl", lines(texts))
    with evalsql.open(tmp_path / "evalsql.duckdb", read_only=True) as warehouse:
        ((documents,),) = warehouse.rows("select count(*) from documents")
        ((kept,),) = warehouse.rows("select count(*) from documents where document < 'doc-0400'")
    done = demo("load", "documents", "corpus.jsonl", "--characters", 20)
    assert done.stderr == (
        f"loaded texts of {kept} documents, of 399 in the file\n"
        f"  {counted(399 - kept, 'document')} left out, which no run retrieved and no judgment names\n"
        f"  {kept} texts cut after 20 characters\n"
        f"  now held: texts of {kept} of {documents} documents, 0.0 MB uncompressed\n"
    )
    assert f"{kept} documents had a text, which stays" in demo("load", "documents", "corpus.jsonl").stderr
    assert f"texts of {kept} of {documents} documents" in demo("ls").stderr
    assert_refused(demo("load", "documents", "none.jsonl"), "none.jsonl: no such file")
    demo("export", "warehouse", "archive")
    assert demo("import", "archive", "--db", "copy.duckdb").returncode == 0
    assert demo("vacuum", "--db", "copy.duckdb").returncode == 0
    count = demo("sql", "select count(*) as n from document_texts", "--db", "copy.duckdb", "--format", "csv")
    assert count.stdout == f"n\n{kept}\n"


@pytest.mark.long
def test_what_documents_say_is_shown_where_it_is_asked_for(demo: Command, tmp_path: Path) -> None:
    explained = ("explain", "dense", "T01", "--depth", 5, "--format", "csv")
    before = demo(*explained).stdout
    assert "load documents FILE brings them" in demo(*explained, "--texts").stderr
    names = [row["document"] for row in csv_rows(before)]
    texts = [{"_id": name, "title": f"About {name}", "text": "so\nit goes " * 40} for name in names[:-1]]
    demo("load", "documents", write(tmp_path / "corpus.jsonl", lines(texts)))
    assert demo(*explained).stdout == before, "texts change no columns"
    shown = {row["document"]: row["text"] for row in csv_rows(demo(*explained, "--texts").stdout)}
    assert shown == {name: f"About {name}: {'so it goes ' * 40}"[:199] + "…" for name in names[:-1]} | {names[-1]: ""}
    moved = csv_rows(demo("diff", "dense", "bm25", "--topic", "T01", "-d", "--texts", "--format", "csv").stdout)
    assert [row["text"] for row in moved] == [shown.get(row["document"], "") for row in moved]
    assert any(row["text"] for row in moved)
    assert_refused(demo("diff", "dense", "bm25", "--texts"), "--texts says what documents say")
