"""Groups of options that open a warehouse: to ask it, to load into it, to change it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalsql.cli.declare import Names, flag, option
from evalsql.cli.options import MEMORY_LIMIT, OwnMeasures
from evalsql.cli.output import note, progress_bar
from evalsql.database.database import MEMORY
from evalsql.database.disk import scratch_folder
from evalsql.database.engine import ignore_from_now_on
from evalsql.database.quack import is_address
from evalsql.errors import ReachError, UsageError, WarehouseError
from evalsql.warehouse.open import WAIT, Reach, copy_file, default_path, open_database
from evalsql.warehouse.warehouse import Warehouse


@dataclass(frozen=True)
class Where:
    """A warehouse file, which another process may have locked."""

    wait: float = option("--wait SECONDS", "Try so long while another process has the file locked.", WAIT, min=0)
    db: str | None = option("--db FILE", "Warehouse file, or quack:HOST:PORT; else EVALSQL_DB, else ./evalsql.duckdb.")
    token_file: Path | None = option("--token-file FILE", "Holds the token of a server; else EVALSQL_TOKEN is it.")

    @property
    def path(self) -> str:
        return self.db or default_path()

    @contextmanager
    def open_file(
        self, *, external: bool | None = None, files: Sequence[str] = (), folders: Sequence[str] = (), **options: Any
    ) -> Iterator[Warehouse]:
        """An open warehouse; what takes long to open shows progress. Options are those of ``open_database``.

        Args:
            external: whether the user's own SQL, if any is run, may reach other files.
            files, folders: what the engine may use in any case.
        """
        token = None
        if self.token_file is not None:
            from evalsql.server.sessions import read_token

            token = read_token(self.token_file)
        reach = None if external or self.db == MEMORY else Reach(files, folders)
        with progress_bar() as progress:
            database = open_database(self.db, wait=self.wait, token=token, progress=progress, reach=reach, **options)
        with Warehouse(database) as warehouse, _reach_explained(warehouse, is_own_sql=external is not None):
            yield warehouse

    @contextmanager
    def open_existing(self, **options: Any) -> Iterator[Warehouse]:
        """An open warehouse to change; raises WarehouseError if there is none."""
        with self.open_file(read_only=True):
            pass
        with self.open_file(**options) as warehouse:
            yield warehouse


@dataclass(frozen=True)
class Asking(Where, OwnMeasures):
    """A warehouse that is asked, with measures of one's own beside its measures."""

    memory_limit: str | None = MEMORY_LIMIT

    def open(self, **options: Any) -> AbstractContextManager[Warehouse]:
        """The warehouse open for reading, if no option says otherwise; see ``open_file``."""
        own = {"measures": self.paths, "memory_limit": self.memory_limit}
        return self.open_file(**{"read_only": True, **own, **options})


@dataclass(frozen=True)
class AskingScores(Asking):
    """A warehouse that is asked, and scores elsewhere that are shown beside its own."""

    lake: Names = option(
        "--lake DIR", "Scores to show as if loaded, such as those of evalsql spark eval; can be repeated."
    )

    @contextmanager
    def open(self, **options: Any) -> Iterator[Warehouse]:
        """The warehouse open for reading, with the scores of ``--lake`` beside its own."""
        if not self.lake:
            with super().open(**options) as warehouse:
                yield warehouse
            return
        if is_address(self.path):
            raise UsageError("--lake shows scores beside a file, but a server holds this warehouse; load them there")
        with scratch_folder() as scratch:
            with progress_bar() as progress:
                copy = copy_file(self.path, Path(scratch), wait=self.wait, progress=progress)
            reached = {"files": self.lake, "folders": self.lake}
            with super().open(read_only=False, stored_at=copy, **reached, **options) as warehouse:
                for lake in self.lake:
                    warehouse.load_scores(lake)
                yield warehouse


@dataclass(frozen=True)
class Statements(Asking):
    write: bool = flag("--write", "Let it change the warehouse.")
    external: bool = flag("--external", "Let it read and write other files and load extensions.")

    def open_for_sql(self) -> AbstractContextManager[Warehouse]:
        """The warehouse open for statements, which change it or reach other files if the options say so."""
        return self.open(read_only=not self.write, external=self.external)


@dataclass(frozen=True)
class Loading(Where):
    """A warehouse that is loaded into."""

    memory_limit: str | None = MEMORY_LIMIT

    @contextmanager
    def open(self, patterns: Sequence[str] = ()) -> Iterator[Warehouse]:
        """The warehouse to load into once; the engine reads the files that patterns match, and temporary ones.

        Ctrl-C changes nothing, and from the commit on it does nothing more.
        """
        from evalsql.ingest.files.input_files import failures_named, files_reached

        try:
            with failures_named(), scratch_folder(holds_others=True) as folder:
                files = [file for pattern in patterns for file in files_reached(pattern)]
                with self.open_file(memory_limit=self.memory_limit, files=files, folders=[folder]) as warehouse:
                    warehouse.database.after_commit = ignore_from_now_on
                    yield warehouse
        except KeyboardInterrupt:
            note("evalsql: interrupted; nothing was loaded")
            raise


@contextmanager
def _reach_explained(warehouse: Warehouse, *, is_own_sql: bool = False) -> Iterator[None]:
    """Explain that a view of the file itself reaches elsewhere; that a user's own SQL does needs no explanation."""
    try:
        yield
    except ReachError as error:
        if is_own_sql:
            raise
        words = str(error).splitlines()[0]
        raise WarehouseError(
            f"{warehouse.path}: a view or macro in it reads another file, which those of evalsql do not ({words}); do "
            "not use this file; load its runs and judgments into a new one"
        ) from error
