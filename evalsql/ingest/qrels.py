"""Loads judgments: one file, or rows in memory, into the base tables."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from evalsql.errors import Problem
from evalsql.ingest import keys
from evalsql.ingest.keys import Refused, loading_sql
from evalsql.ingest.lines import Notes, QrelsRow, qrels_rows, write_clean
from evalsql.ingest.sources import Source
from evalsql.naming import literal

if TYPE_CHECKING:
    from evalsql.warehouse import Warehouse

STAGED = """
create or replace temp table staged_qrels_rows (
    topic varchar, iteration varchar, document varchar, grade integer
)"""


def load_qrels_file(
    warehouse: Warehouse, name: str, source: Source, *, keep_best: bool, meta: Mapping[str, str]
) -> int:
    """Load one file of judgments within the caller's transaction; returns the qrels_id.

    Raises:
        InputError: bad lines, a document judged twice for a topic, no rows at all.
    """
    refused, notes = Refused(), Notes()
    kept, duplicates = _unrepeated(qrels_rows(source, notes, refused), source, refused, keep_best)
    if not kept and not refused:
        refused(Problem(source.label, 0, "holds no rows"))
    refused.check()
    _stage_rows(warehouse, kept.values())
    qrels_id = store(warehouse, name, notes, meta, duplicates)
    size = source.path.stat().st_size
    keys.add_file_row(warehouse, ("qrels", qrels_id, source.label, source.sha256(), size, len(kept) + duplicates))
    return qrels_id


def _unrepeated(
    rows: Iterable[tuple[int, QrelsRow]], source: Source, refused: Refused, keep_best: bool
) -> tuple[dict[tuple[str, str], QrelsRow], int]:
    """Rows by (topic, document), and how many were left out for one of a higher grade."""
    kept: dict[tuple[str, str], QrelsRow] = {}
    lines: dict[tuple[str, str], int] = {}
    duplicates = 0
    for line, row in rows:
        key = (row[0], row[2])
        first = lines.setdefault(key, line)
        if first == line:
            kept[key] = row
        elif keep_best:
            duplicates += 1
            kept[key] = max(kept[key], row, key=lambda one: one[3])
        else:
            reason = f"document {row[2]} of topic {row[0]} is already judged at line {first}"
            refused(Problem(source.label, line, reason))
    return kept, duplicates


def _stage_rows(warehouse: Warehouse, rows: Iterable[QrelsRow]) -> None:
    warehouse.execute(STAGED)
    with tempfile.TemporaryDirectory(prefix="evalsql-") as folder:
        path = Path(folder) / "qrels.tsv"
        write_clean(path, rows)
        warehouse.execute(f"""
            insert into staged_qrels_rows
            select * from read_csv(
                {literal(str(path))}, delim = '\t', header = false, auto_detect = false, quote = '', escape = '',
                columns = {{'topic': 'varchar', 'iteration': 'varchar', 'document': 'varchar', 'grade': 'integer'}}
            )
        """)


def store(warehouse: Warehouse, name: str, notes: Notes, meta: Mapping[str, str], duplicates: int) -> int:
    """Put the staged judgments, with all that describes them, into the base tables; returns the qrels_id."""
    qrels_id = keys.next_id(warehouse, "qrels", "qrels_id")
    warehouse.execute(
        """
        insert into qrels values (
            ?, ?, ?, ?, map(?::varchar[], ?::varchar[]), current_timestamp at time zone 'UTC', ?
        )
        """,
        (
            qrels_id,
            name,
            duplicates,
            "\n".join(notes.comments),
            list(meta),
            list(meta.values()),
            warehouse.program_version,
        ),
    )
    keys.add_names(warehouse, "select * from staged_qrels_rows")
    inputs = {
        "staged": "select *, 0 as file_id from staged_qrels_rows",
        "staged_files": f"select 0 as file_id, {qrels_id} as owner_id",
    }
    keys.insert(warehouse, "assessments", loading_sql(warehouse, "new_assessments", inputs))
    warehouse.execute("drop table staged_qrels_rows")
    return qrels_id
