"""Puts a file of all views and macros into the wheel, so that the first warehouse a person opens need not make them.

To make its views and macros takes seconds, for which a new machine would wait at its first command.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class RelationsHook(BuildHookInterface[Any]):
    """Makes the file that ``connecting.shipped`` names; an editable installation follows the SQL instead."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Make the file and give it a place in the wheel."""
        if version == "editable":
            return
        sys.path.insert(0, self.root)
        from evalsql.catalog.relations import read_catalog
        from evalsql.warehouse.connecting import make_file, shipped

        self.scratch = tempfile.TemporaryDirectory()
        made = Path(self.scratch.name) / shipped(read_catalog()).name
        make_file(made)
        build_data["force_include"][str(made)] = f"evalsql/{made.name}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what the wheel has a copy of."""
        if version != "editable":
            self.scratch.cleanup()
