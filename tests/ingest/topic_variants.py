"""Topics as tools write them and as Python holds them; each variant says the same of three topics."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from typing import Any

import duckdb
import pandas
import polars
import pyarrow

from tests.ingest.variants import parquet

TEXTS = {"1": "what is rain", "2": "snow & ice", "3": "Nebel über dem See"}
SGML = """\
<top>
<num> Number: 1
<title> what is
  rain

<desc> Description:
Where does it come from?

<narr> Narrative:
Relevant: clouds.
</top>

<top><num>2</num><title>snow &amp; ice</title></top>
<TOP>
<NUM> Number: 3 </NUM>
<TITLE> Topic: Nebel über dem See
</TOP>
"""
XML = """\
<?xml version="1.0" encoding="UTF-8"?>
<topics>
  <topic number="1"><query>what is rain</query><question>Where does it
    come from?</question><narrative>Relevant: clouds.</narrative></topic>
  <topic number="2"><query>snow &amp; ice</query></topic>
  <topic number="3"><query>Nebel <i>über</i> dem See</query></topic>
</topics>
"""
# Files that say the same: as TREC, BEIR, MS MARCO and others have them.
TOPICS_FILES: dict[str, tuple[str, str | bytes]] = {
    "MS MARCO": ("msmarco.tsv", "".join(f"{topic}\t{text}\n" for topic, text in TEXTS.items())),
    "MS MARCO, Windows line ends": (
        "windows.tsv",
        "\ufeff" + "".join(f"{topic}\t{text}\r\n" for topic, text in TEXTS.items()),
    ),
    "MS MARCO, packed": (
        "packed.tsv.gz",
        gzip.compress("".join(f"{topic}\t{text}\n" for topic, text in TEXTS.items()).encode()),
    ),
    "TSV": ("header.tsv", "qid\tquery\n" + "".join(f"{topic}\t{text}\n" for topic, text in TEXTS.items())),
    "CSV, quoted": ("quoted.csv", 'topic,text\n1,"what is\n\nrain"\n2,snow & ice\n"3",Nebel über dem See\n'),
    "CSV, semicolons": (
        "semicolons.csv",
        "query_id;title\n" + "".join(f"{topic};{text}\n" for topic, text in TEXTS.items()),
    ),
    "JSON lines of BEIR": (
        "queries.jsonl",
        "".join(json.dumps({"_id": topic, "text": text, "metadata": {}}) + "\n" for topic, text in TEXTS.items()),
    ),
    "JSON lines, numbers": (
        "numbers.jsonl",
        "".join(json.dumps({"qid": int(topic), "query": text}) + "\n" for topic, text in TEXTS.items()),
    ),
    "JSON texts": ("dict.json", json.dumps(TEXTS, indent=1)),
    "JSON texts in one line": ("line.json", json.dumps(TEXTS)),
    "JSON list of rows": (
        "list.json",
        json.dumps([{"id": topic, "title": text} for topic, text in TEXTS.items()], indent=1),
    ),
    "TREC topics, SGML": ("topics.sgml", SGML),
    "TREC topics, XML": ("topics.xml", XML),
    "TREC topics, XML with elements": ("nested.xml", XML.replace('<topic number="1">', "<topic><num>1</num>")),
    "Parquet": ("queries.parquet", parquet(("_id", "text"), list(TEXTS.items()))),
}
_ROWS = [{"query_id": topic, "text": text} for topic, text in TEXTS.items()]
TOPICS_FRAMES: dict[str, Callable[[], Any]] = {
    "texts": lambda: TEXTS,
    "texts, with other fields": lambda: {topic: {"text": text} for topic, text in TEXTS.items()},
    "dicts": lambda: _ROWS,
    "pandas": lambda: pandas.DataFrame({"qid": list(TEXTS), "query": list(TEXTS.values())}),
    "polars": lambda: polars.DataFrame(_ROWS),
    "Arrow": lambda: pyarrow.Table.from_pylist(_ROWS),
    "DuckDB": lambda: duckdb.from_arrow(pyarrow.Table.from_pylist(_ROWS)),
}
