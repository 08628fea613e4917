"""Options that commands share, in groups."""

import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

import typer

from evalsql.catalog.measure_names import DEFAULT_MEASURES
from evalsql.cli import tell
from evalsql.cli.declare import Names, argument, flag, option
from evalsql.cli.output import OutputOptions, note, progress_bar
from evalsql.database.database import MEMORY
from evalsql.database.disk import scratch_folder
from evalsql.database.engine import ignore_from_now_on
from evalsql.database.names import resolve_names
from evalsql.database.quack import is_address
from evalsql.errors import UsageError
from evalsql.evaluation.listings import arranged
from evalsql.evaluation.selection import Calls, Choice, calls_shown, choose_runs, default_measures, parse_date
from evalsql.ingest.column_meanings import parse as parse_columns
from evalsql.ingest.load_options import Form, TieRule, Unit
from evalsql.phrases import counted
from evalsql.report.table import Table
from evalsql.warehouse.open import WAIT, Reach, copy_file, default_path, open_database
from evalsql.warehouse.warehouse import Warehouse

RUNS = argument("Runs, or globs of names; all by default.", complete="runs")
SYSTEMS = option("--system NAME", "Runs of this system or glob of systems; can be repeated.", complete="systems")
BASELINE = option("--baseline RUN", "Run that others are compared with.", complete="runs")
Family = Literal["measure", "all"]
FAMILY = option("--family", "Correct p over the tests of each measure by itself, or over all together.", "measure")
_COMMON: dict[str, Any] = {"rich_help_panel": "Options"}  # above the options of every group
_MEASURE = 'Such as nDCG@10, "AP(rel=2)" or P_5; can be repeated.'
MEASURES = option("--measure -m MEASURE", _MEASURE, complete="measures", **_COMMON)
QRELS = option("--qrels NAME", "Judgment set, or a glob of names; can be repeated.", complete="qrels", **_COMMON)
ONE_QRELS = option("--qrels NAME", "Judgment set, where there are several.", complete="qrels", **_COMMON)
MEMORY_LIMIT = option("--memory-limit SIZE", "Memory the engine may take, such as 1GB; what does not fit goes to disk.")
QRELS_FILE = argument("TREC, CSV, TSV, Parquet, JSON, LETOR, a BEIR folder or irds:DATASET; - is standard input.", ...)
CALLS = option(
    "--calls KIND",
    "Of runs with calls the first or the last call of a topic, each call, or all up to each (cumulative); all together "
    "in the order of the calls (union, the default) or by their best ranks (best).",
    rich_help_panel="Which runs",
)
_RUN_FORMATS = "TREC, CSV, TSV, Parquet, JSON, BLAST, folders, tar and zip archives, globs; - is standard input."
RUN_FILES, LISTED_RUN_FILES = argument(_RUN_FORMATS, ...), argument(_RUN_FORMATS)
UNIT = option(
    "--unit",
    "What start and end of spans count: characters, by default, bytes or tokens, the end being the first behind the "
    "span; lines or pages, the end being the last one.",
)
COLLAPSE = option(
    "--collapse",
    "Where results are spans, with start and end, what ranks a document: the best score of its spans (max), its first "
    "span (first), the sum of their scores (sum). With none start and end are left out.",
)
REPLACE = flag("--replace", "Take the place of what is held under the same name.")
WORDS = flag("--texts", "What each document says in a last column, where its text was loaded.")
FORM = option(
    "--form",
    "One grade a document (grades), one in each group or subtopic, which the second column names (groups), or "
    "levels by which documents are preferred to others: topic, group, subgroup or none, document, level "
    "(preferences). Spans of documents: topic, document, start, end, and a grade, by default 1 (spans). Of a sample: "
    "topic, iteration, document, stratum, grade (strata), or topic, document, grade, method, probability "
    "(probabilities). Or what judgments are made of: topic and relevant document (pairs), id and family (families). "
    "Or what answers should hold: topic, nugget, importance (nuggets).",
    "grades",
)
KEEP_BEST = flag("--keep-best", "Keep the best of a document's several rows for a topic, and say how many.")
Columns = Mapping[str, str] | None
COLUMNS = option(
    "--columns MEANING=NAME,...", "Which columns of a header are meant: topic=qid,score=sim.", parser=parse_columns
)
WITH_SELF = option(
    "--with-self/--without-self",
    "Whether a topic's own name counts among its documents; by default not in BLAST's and other tables of "
    "E-values, where a query finds itself.",
)
QRELS_COLUMNS = option("--qrels-columns MEANING=NAME,...", "The same of judgments: grade=label.", parser=parse_columns)


def _note_old_name(context: typer.Context, given: Names) -> Names:
    if given and not context.resilient_parsing:
        if missing := [path for path in given if not Path(path).exists()]:
            raise UsageError(
                f"--measures {missing[0]}: no such file or directory; -m names measures, and --measure-file is what "
                "--measures is called now: a file or folder of measures of your own"
            )
        print("--measures is now called --measure-file", file=sys.stderr)
    return given


@dataclass(frozen=True)
class OwnMeasures:
    measure_file: Names = option("--measure-file PATH", "A file or folder of measures of your own; can be repeated.")
    measures: Names = option("--measures", hidden=True, callback=_note_old_name)

    @property
    def paths(self) -> Sequence[str]:
        return [*self.measure_file, *self.measures]


@dataclass(frozen=True)
class RunFilters:
    """What runs have to be, beside their names; empty is all."""

    heading: ClassVar = "Which runs"
    condition: str | None = option(
        "--where CONDITION", "Runs of which this is true, such as \"meta.branch = 'main'\" or \"tag like 'v2%'\"."
    )
    since: str | None = option("--since DATE", "Runs of this date or later, such as 2026-10-01.")
    last: int | None = option("--last N", "The N latest runs, of each system where systems are recorded.", min=1)

    def choice(self, names: Sequence[str] = (), systems: Sequence[str] = ()) -> Choice:
        return Choice(names, self.condition, self.since, self.last, systems)


@dataclass(frozen=True)
class RunSelection(RunFilters):
    runs: Names = RUNS
    run: Names = option("--run", hidden=True, complete="runs")
    qrels: Names = QRELS
    system: Names = SYSTEMS

    @property
    def is_empty(self) -> bool:
        return not (self.runs or self.run) and self.choice([], self.system).is_by_name

    def chosen(self, warehouse: Warehouse) -> Sequence[str]:
        """The runs that are meant; empty is all. Raises UsageError where none fits the names and options."""
        choice = self.choice([*self.runs, *self.run], self.system)
        if choice.is_by_name:
            return resolve_names(warehouse.database, "run", choice.names) if choice.names else ()
        return choose_runs(warehouse.database, choice)


@dataclass(frozen=True)
class MeasuredRuns(RunSelection):
    measure: Names = MEASURES

    @property
    def measures(self) -> Sequence[str]:
        return self.measure or DEFAULT_MEASURES

    def arguments(self, warehouse: Warehouse) -> dict[str, Any]:
        """What is to be evaluated, by the names that functions give it; of runs and judgment sets empty is all."""
        measures = self.measure or default_measures(warehouse.database, self.qrels)
        return {"measures": measures, "qrels": self.qrels, "runs": self.chosen(warehouse)}


@dataclass(frozen=True)
class RunsOfOneSet(MeasuredRuns):
    qrels: Names = ONE_QRELS

    def arguments(self, warehouse: Warehouse) -> dict[str, Any]:
        """As of several sets; raises UsageError for more than one judgment set."""
        return {**super().arguments(warehouse), "qrels": only_one(self.qrels, "--qrels")}


def only_one(names: Names, option: str) -> str | None:
    """What an option that can be given once was given; raises UsageError if it was given more often."""
    if len(names) > 1:
        raise UsageError(f"{option} is given {len(names)} times, this command takes one: {', '.join(names)}")
    return names[0] if names else None


@dataclass(frozen=True)
class ArrangedOutput(OutputOptions):
    """How rows are written, in which order, and how many of them."""

    sort: str | None = option(
        "--sort COLUMN",
        "Sort by this column, greatest numbers or first names on top; COLUMN:asc and COLUMN:desc say otherwise.",
    )
    limit: int | None = option("--limit N", "Only the first N rows.", min=1)

    def table_of(self, warehouse: Warehouse, query: str, lower: Collection[str] = ()) -> Table:
        """All rows of a SELECT in the order that is asked for; ``lower`` are columns of which less is better."""
        database = warehouse.database
        return Table(*database.table(arranged(database, query, sort=self.sort, limit=None, lower=lower)))

    def first_rows(self, table: Table) -> Table:
        if self.limit is None or self.limit >= len(table.rows):
            return table
        note(f"{self.limit} of {counted(len(table.rows), 'row')}")
        return table._replace(rows=table.rows[: self.limit])


@dataclass(frozen=True)
class Where:
    """A warehouse file, which another process may have locked."""

    heading: ClassVar = "The warehouse"
    wait: float = option("--wait SECONDS", "Try so long while another process has the file locked.", WAIT, min=0)
    db: str | None = option("--db FILE", "Warehouse file, or quack:HOST:PORT; else EVALSQL_DB, else ./evalsql.duckdb.")
    token_file: Path | None = option("--token-file FILE", "Holds the token of a server; else EVALSQL_TOKEN is it.")

    @property
    def path(self) -> str:
        return self.db or default_path()

    def open_file(
        self, *, external: bool = False, files: Sequence[str] = (), folders: Sequence[str] = (), **options: Any
    ) -> Warehouse:
        """An open warehouse that reaches these files alone, but for ``external`` SQL; see ``open_database``."""
        token = None
        if self.token_file is not None:
            from evalsql.server.sessions import read_token

            token = read_token(self.token_file)
        reach = None if external or self.db == MEMORY else Reach(files, folders)
        with progress_bar() as progress:
            how: dict[str, Any] = {"wait": self.wait, "token": token, "reach": reach, **options}
            return Warehouse(open_database(self.db, progress=progress, **how))

    def open_existing(self, **options: Any) -> Warehouse:
        """An open warehouse to change; raises WarehouseError if there is none."""
        self.open_file(read_only=True).close()
        return self.open_file(**options)


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

    lake: Names = option("--lake DIR", "Scores, as of evalsql spark eval, to show as if loaded; can be repeated.")

    @contextmanager
    def open(self, **options: Any) -> Iterator[Warehouse]:
        """The warehouse open for reading, with the scores of ``--lake`` beside its own."""
        if self.lake and is_address(self.path):
            raise UsageError("--lake shows scores beside a file, but a server holds this warehouse; load them there")
        with ExitStack() as stack:
            if self.lake:
                from evalsql.ingest.files.input_files import files_reached

                scratch = Path(stack.enter_context(scratch_folder()))
                with progress_bar() as progress:
                    copy = copy_file(self.path, scratch, wait=self.wait, progress=progress)
                reached = [place for lake in self.lake for place in files_reached(lake)]
                options |= {"read_only": False, "stored_at": copy, "files": reached, "folders": reached}
            warehouse = stack.enter_context(super().open(**options))
            for lake in self.lake:
                warehouse.load_scores(lake)
            yield warehouse


@dataclass(frozen=True)
class AskingRankings(Asking):
    """A warehouse that is asked of runs or, in their place, of rankings made of their calls."""

    calls: Calls | None = CALLS

    @contextmanager
    def open(self, **options: Any) -> Iterator[Warehouse]:
        """The warehouse open for reading, with the rankings of ``--calls`` in the place of runs."""
        with super().open(**options) as warehouse, calls_shown(warehouse.database, self.calls or "union"):
            yield warehouse


@dataclass(frozen=True)
class AskingRankingsAndScores(AskingRankings, AskingScores):
    pass


@dataclass(frozen=True)
class Statements(Asking):
    limit: int | None = option(
        "--limit N", "Only the first N rows of an answer; 0 is all. By default a terminal shows 200.", min=0
    )
    write: bool = flag("--write", "Let it change the warehouse.")
    external: bool = flag("--external", "Let it read and write other files and load extensions.")

    def open_for_sql(self) -> AbstractContextManager[Warehouse]:
        return self.open(read_only=not self.write, external=self.external)


@dataclass(frozen=True)
class Loading(Where):
    memory_limit: str | None = MEMORY_LIMIT

    @contextmanager
    def open(self, patterns: Sequence[str] = ()) -> Iterator[Warehouse]:
        """The warehouse to load files into that match patterns; Ctrl-C before the commit changes nothing."""
        from evalsql.ingest.files.input_files import failures_named, files_reached

        try:
            with failures_named(), scratch_folder(holds_others=True) as folder:
                files = [file for pattern in patterns for file in files_reached(pattern)]
                with self.open_file(memory_limit=self.memory_limit, files=files, folders=[folder]) as warehouse:
                    warehouse.database.once_committed.append(ignore_from_now_on)
                    yield warehouse
        except KeyboardInterrupt:
            tell("interrupted; nothing was loaded")
            raise


@dataclass(frozen=True)
class Facts:
    heading: ClassVar = "What is kept with it"
    meta: Names = option("--meta KEY=VALUE", "Something to keep with it; can be repeated.")

    def pairs(self, **facts: str | None) -> dict[str, str]:
        """The keys and values of meta and of options of their own; UsageError for no pair or one too many."""
        pairs = {key: value for key, value in facts.items() if value is not None}
        if empty := [key for key, value in pairs.items() if not value]:
            raise UsageError(f"--{empty[0]} is empty")
        for text in self.meta:
            key, sign, value = text.partition("=")
            if not sign or not key:
                raise UsageError(f'--meta takes KEY=VALUE, found "{text}"')
            if key in pairs:
                twice = f"--{key} and --meta {key}= are the same; give one of them"
                raise UsageError(twice if facts.get(key) is not None else f"--meta gives {key} twice")
            pairs[key] = value
        return pairs


@dataclass(frozen=True)
class RunFacts(Facts):
    """What is kept with runs: which load of which system they are, too."""

    system: str | None = option("--system NAME", "Their system, which evalsql history shows.", complete="systems")
    version: str | None = option("--version TEXT", "Version of the system, such as a commit.")
    date: str | None = option("--date DATE", "When the system gave these runs; by default they are of now.")

    def pairs(self, **facts: str | None) -> dict[str, str]:
        date = None if self.date is None else parse_date(self.date, "--date")
        return super().pairs(system=self.system, version=self.version, date=date, **facts)


@dataclass(frozen=True)
class Kept(Facts):
    """What is kept with what is loaded, and whether that replaces something."""

    replace: bool = REPLACE

    def arguments(self, **facts: str | None) -> dict[str, Any]:
        """What loads take these options as, meta with facts of others."""
        return {"replace": self.replace, "meta": self.pairs(**facts)}


@dataclass(frozen=True)
class KeptWithRuns(Kept, RunFacts):
    pass


@dataclass(frozen=True)
class JudgmentReading:
    heading: ClassVar = "How judgments are read"
    form: Form = FORM
    queries: str | None = option(
        "--queries FILE",
        "Of --form families the members that were searched for: names, one a line, or FASTA; by default all.",
    )
    with_self: bool | None = WITH_SELF
    unit: Unit | None = UNIT

    def arguments(self) -> dict[str, Any]:
        return {**asdict(self), "with_self": bool(self.with_self)}


@dataclass(frozen=True)
class RunReading:
    """As ``Warehouse.load_runs`` takes it."""

    heading: ClassVar = "How runs are read"
    columns: Columns = COLUMNS
    tie_rule: TieRule | None = option(
        "--tie-rule",
        "How documents are ordered: score as 32-bit float then document (trec_eval), the same with 64 bits "
        "(trec_eval_10), the rank column (rank), the order of the lines (input). By default trec_eval; "
        "trec_eval_10 with --lower-is-better.",
    )
    lower_is_better: bool = flag("--lower-is-better", "Smaller scores are better, as E-values are.")
    keep_best: bool = KEEP_BEST
    call: str | None = option(
        "--call COLUMN", "Tells several searches for a topic apart; none: no column does. See evalsql help agents."
    )
