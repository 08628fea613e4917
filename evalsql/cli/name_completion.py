"""Names that the user's shell completes: runs, judgment sets and measures. Cheap, and silent where anything fails."""

from __future__ import annotations

from pathlib import Path

import typer

from evalsql.catalog.relations import read_catalog
from evalsql.database.engine import connect
from evalsql.warehouse.open import default_path


def complete_runs(context: typer.Context, incomplete: str) -> list[str]:
    """Runs of the warehouse that the command line names."""
    return [name for name in _held(context, "select run from runs order by run") if name.startswith(incomplete)]


def complete_qrels(context: typer.Context, incomplete: str) -> list[str]:
    """Judgment sets of the warehouse that the command line names."""
    return [name for name in _held(context, "select qrels from qrels order by qrels") if name.startswith(incomplete)]


def complete_systems(context: typer.Context, incomplete: str) -> list[str]:
    """Systems that runs of the warehouse are loads of."""
    systems = "select distinct meta['system'] as system from runs where system is not null order by system"
    return [name for name in _held(context, systems) if name.startswith(incomplete)]


def complete_measures(context: typer.Context, incomplete: str) -> list[str]:
    """Measures of the warehouse or else of the package, behind the last comma and in the case that was typed."""
    before, comma, typed = incomplete.rpartition(",")
    names = _held(context, "select measure from measures order by lower(measure)") or _of_package()
    return [f"{before}{comma}{typed}{name[len(typed) :]}" for name in names if name.lower().startswith(typed.lower())]


def _of_package() -> list[str]:
    try:
        return sorted((each.header.measure for each in read_catalog().measures), key=str.lower)
    except Exception:
        return []


def _held(context: typer.Context, query: str) -> list[str]:
    """One column of the warehouse; nothing where there is none, or it cannot be read now."""
    try:
        path = context.params.get("db") or default_path()
        if not Path(path).is_file():
            return []
        # What is asked for may be a view of a stranger's, which reaches no other file.
        with connect(path, read_only=True, config={"enable_external_access": False}) as connection:
            names = [str(name) for (name,) in connection.execute(query).fetchall()]
        return [name for name in names if name.isprintable()]
    except Exception:
        return []
