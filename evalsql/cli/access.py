"""Groups of options that open a warehouse: to ask it, to load into it, to change it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from evalsql.cli.options import MEMORY_LIMIT, Names, OwnMeasures, flag, option
from evalsql.cli.output import note, progress_bar
from evalsql.database.database import MEMORY
from evalsql.database.disk import scratch_folder
from evalsql.database.engine import ignore_from_now_on
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
        """The file or address that is named, or the default."""
        return self.db or default_path()

    @contextmanager
    def open_file(
        self,
        *,
        read_only: bool = False,
        measures: Sequence[str] = (),
        memory_limit: str | None = None,
        external: bool | None = None,
        files: Sequence[str] = (),
        folders: Sequence[str] = (),
        stored_at: Path | None = None,
    ) -> Iterator[Warehouse]:
        """An open warehouse; what takes long to open shows progress.

        Args:
            external: whether the user's own SQL, if any is run, may reach other files.
            files, folders: what the engine may use in any case.
            stored_at: a copy of the file, which is opened instead.
        """
        token = None
        if self.token_file is not None:
            from evalsql.server.sessions import read_token

            token = read_token(self.token_file)
        with progress_bar() as progress:
            database = open_database(
                self.db,
                read_only=read_only,
                measures=measures,
                memory_limit=memory_limit,
                wait=self.wait,
                token=token,
                progress=progress,
                reach=None if external or self.db == MEMORY else Reach(files, folders),
                stored_at=stored_at,
            )
        with Warehouse(database) as warehouse, _reach_explained(warehouse, is_own_sql=external is not None):
            yield warehouse

    @contextmanager
    def open_existing(self, *, read_only: bool = False, external: bool | None = None) -> Iterator[Warehouse]:
        """An open warehouse to change; raises WarehouseError if there is none."""
        self.require()
        with self.open_file(read_only=read_only, external=external) as warehouse:
            yield warehouse

    def require(self) -> None:
        """Raise WarehouseError if there is no warehouse."""
        with self.open_file(read_only=True):
            pass


@dataclass(frozen=True)
class Asking(Where, OwnMeasures):
    """A warehouse that is asked, with measures of one's own beside its measures."""

    memory_limit: str | None = MEMORY_LIMIT

    def open(
        self,
        measures: Sequence[str] | None = None,
        *,
        folders: Sequence[str] = (),
    ) -> AbstractContextManager[Warehouse]:
        """The warehouse open for reading, with these measures or those of the options; the engine uses the folders."""
        return self.open_file(
            read_only=True,
            measures=self.paths if measures is None else measures,
            memory_limit=self.memory_limit,
            folders=folders,
        )


@dataclass(frozen=True)
class AskingScores(Asking):
    """A warehouse that is asked, and scores elsewhere that are shown beside its own."""

    lake: Names = option(
        "--lake DIR", "Scores to show as if they were loaded, such as what evalsql spark eval wrote; can be repeated."
    )

    @contextmanager
    def open(
        self,
        measures: Sequence[str] | None = None,
        *,
        folders: Sequence[str] = (),
    ) -> Iterator[Warehouse]:
        """The warehouse open for reading, with the scores of ``--lake`` beside its own."""
        if not self.lake:
            with super().open(measures, folders=folders) as warehouse:
                yield warehouse
            return
        from evalsql.database.quack import is_address

        if is_address(self.path):
            raise UsageError("--lake shows scores beside a file, but a server holds this warehouse; load them there")
        with scratch_folder() as scratch:
            with progress_bar() as progress:
                copy = copy_file(self.path, Path(scratch), wait=self.wait, progress=progress)
            with self.open_file(
                measures=self.paths if measures is None else measures,
                memory_limit=self.memory_limit,
                files=self.lake,
                folders=self.lake,
                stored_at=copy,
            ) as warehouse:
                for lake in self.lake:
                    warehouse.load_scores(lake)
                yield warehouse


@dataclass(frozen=True)
class Statements(Asking):
    """A warehouse that runs SQL of the user's own."""

    write: bool = flag("--write", "Let it change the warehouse.")
    external: bool = flag("--external", "Let it read and write other files and load extensions.")

    def open_for_sql(self) -> AbstractContextManager[Warehouse]:
        """The warehouse open for statements, which change it or reach other files if the options say so."""
        return self.open_file(
            read_only=not self.write, measures=self.paths, memory_limit=self.memory_limit, external=self.external
        )


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
