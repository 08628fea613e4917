"""A warehouse with the scores of other folders beside its own: a copy has both, and the file itself stays as it is."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from evalsql.database.disk import scratch_folder
from evalsql.phrases import Progress, silent
from evalsql.warehouse.open import WAIT, Reach, default_path, open_database
from evalsql.warehouse.own_measures import Sources
from evalsql.warehouse.warehouse import Warehouse


@contextmanager
def open_beside(
    lakes: Sequence[str],
    path: str | Path | None = None,
    *,
    measures: Sources = (),
    memory_limit: str | None = None,
    wait: float = WAIT,
    progress: Progress = silent,
) -> Iterator[Warehouse]:
    """A copy of a warehouse that has the scores of folders as well, and is gone at the end.

    Args:
        lakes: folders or Parquet files as ``evalsql load scores`` takes them.

    Arguments and errors are those of ``open`` and of ``Warehouse.load_scores``.
    """
    original = Path(path or default_path())
    with scratch_folder() as folder:
        copied = Path(folder) / original.name
        # Who reads a file keeps writers away from it, so that the copy is of one state.
        with closing(open_database(original, read_only=True, wait=wait, progress=progress, reach=Reach())):
            for each in (original, original.with_name(original.name + ".wal")):
                if each.exists():
                    shutil.copyfile(each, copied.with_name(each.name))
        reach = Reach(lakes, lakes)
        with Warehouse(
            open_database(copied, measures=measures, memory_limit=memory_limit, reach=reach, progress=progress)
        ) as warehouse:
            warehouse.database.path = str(original)  # what messages name, and what no output may overwrite
            for lake in lakes:
                warehouse.load_scores(lake)
            yield warehouse
