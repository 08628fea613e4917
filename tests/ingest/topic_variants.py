"""Topics as tools write them and as Python holds them; each variant says the same of three topics."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pandas
import polars
import pyarrow

from tests.ingest.variants import lines, parquet

TEXTS = {"1": "what is rain", "2": "snow & ice", "3": "Nebel über dem See"}
SGML, XML = (Path(__file__).with_name(name).read_text(encoding="utf-8") for name in ("topics.sgml", "topics.xml"))
PLAIN = "".join(f"{topic}\t{text}\n" for topic, text in TEXTS.items())


def rows(topic: str, text: str, **more: Any) -> list[dict[str, Any]]:
    return [{topic: number, text: words, **more} for number, words in TEXTS.items()]


# Files that say the same: as TREC, BEIR, MS MARCO and others have them.
TOPICS_FILES: dict[str, str | bytes] = {
    "MS MARCO": PLAIN,
    "MS MARCO, Windows line ends": "\ufeff" + PLAIN.replace("\n", "\r\n"),
    "MS MARCO, packed": gzip.compress(PLAIN.encode()),
    "TSV": "qid\tquery\n" + PLAIN,
    "CSV, quoted": 'topic,text\n1,"what is\n\nrain"\n2,snow & ice\n"3",Nebel über dem See\n',
    "CSV, semicolons": "query_id;title\n" + PLAIN.replace("\t", ";"),
    "JSON lines of BEIR": lines(rows("_id", "text", metadata={})),
    "JSON lines, numbers": lines([{**row, "qid": int(row["qid"])} for row in rows("qid", "query")]),
    "JSON texts": json.dumps(TEXTS, indent=1),
    "JSON texts in one line": json.dumps(TEXTS),
    "JSON list of rows under queries": json.dumps({"queries": rows("number", "text")}),
    "JSON list of rows under queries, indented": json.dumps({"queries": rows("number", "text")}, indent=1),
    "JSON lines of RAGAS": lines(rows("id", "user_input")),
    "JSON list of rows": json.dumps(rows("id", "title"), indent=1),
    "TREC topics, SGML": SGML,
    "TREC topics, XML": XML,
    "TREC topics, XML with elements": XML.replace('<topic number="1">', "<topic><num>1</num>"),
    "TREC topics, XML of CLEF": XML.replace('<topic number="1">', "<topic><identifier>1</identifier>"),
    "Parquet": parquet(("_id", "text"), list(TEXTS.items())),
}
_ROWS = rows("query_id", "text")
TOPICS_FRAMES: dict[str, Callable[[], Any]] = {
    "texts": lambda: TEXTS,
    "texts, with other fields": lambda: {topic: {"text": text} for topic, text in TEXTS.items()},
    "dicts": lambda: _ROWS,
    "pandas": lambda: pandas.DataFrame(rows("qid", "query")),
    "polars": lambda: polars.DataFrame(_ROWS),
    "Arrow": lambda: pyarrow.Table.from_pylist(_ROWS),
    "DuckDB": lambda: duckdb.from_arrow(pyarrow.Table.from_pylist(_ROWS)),
}
