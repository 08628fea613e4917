"""``evalsql check`` without ``--ties``: the audits of a warehouse."""

from __future__ import annotations

from evalsql.cli.bars import progress_bar
from evalsql.cli.notes import note
from evalsql.cli.opening import open_warehouse
from evalsql.cli.options import OutputOptions
from evalsql.cli.outputs import write_table
from evalsql.cli.where import Where
from evalsql.evaluation.audits import COLUMNS, audits, findings
from evalsql.report.table import Table
from evalsql.words import counted


def audit_warehouse(where: Where, *, quick: bool, memory_limit: str | None, output: OutputOptions) -> bool:
    """Print what the audits find, and say what was checked. Returns whether they found anything."""
    with open_warehouse(where, read_only=True, memory_limit=memory_limit) as warehouse:
        chosen = audits(warehouse.catalog, quick=quick)
        with progress_bar() as progress:
            found = findings(warehouse.evaluation, chosen, progress)
        ((num_runs, num_sets),) = warehouse.rows("select (select count(*) from runs), (select count(*) from qrels)")
        write_table(Table(list(COLUMNS), found), output, keep=[warehouse.path])
    held = f"{counted(num_runs, 'run')} and {counted(num_sets, 'judgment set')}"
    note(f"checked {held} by {counted(len(chosen), 'audit')}: {', '.join(audit.name for audit in chosen)}")
    left_out = "; slower audits were left out" if quick else ""
    note(f"{counted(len(found), 'finding') if found else 'nothing was found'}{left_out}")
    return bool(found)
