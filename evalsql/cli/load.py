"""``evalsql load``: judgments, runs, lists, scores, weights, topics, groups and measures of one's own.

``eval``, ``fuse`` and ``spark eval`` share the options that say how files are read and what is kept with them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from evalsql.cli.access import Loading
from evalsql.cli.declare import Names, argument, command, flag, option
from evalsql.cli.output import note, progress_bar
from evalsql.errors import UsageError
from evalsql.evaluation.selection import parse_date
from evalsql.ingest.column_meanings import parse as parse_columns
from evalsql.ingest.run_options import RunOptions
from evalsql.phrases import counted, shortened
from evalsql.warehouse.warehouse import Warehouse

QRELS_FILE = argument("TREC, CSV, TSV, Parquet, JSON, LETOR, a BEIR folder or irds:DATASET; - is standard input.", ...)
RUN_FILES = argument(
    "TREC runs, CSV, TSV, Parquet, JSON, BLAST, folders, tar archives or globs; - is standard input.", ...
)
Order = Literal["asc", "desc"]
TieRule = Literal["trec_eval", "trec_eval_10", "rank", "input"]
Form = Literal["grades", "groups", "preferences", "pairs", "families"]
REPLACE = flag("--replace", "Take the place of what is held under the same name.")
FORM = option(
    "--form",
    "One grade a document (grades), one in each group or subtopic, which the second column names (groups), or "
    "levels by which documents are preferred to others: topic, group, subgroup or none, document, level "
    "(preferences). Or what judgments are made of: topic and relevant document (pairs), id and family (families).",
    "grades",
)
KEEP_BEST = flag("--keep-best", "Keep the best of a document's several rows for a topic, and say how many.")
Columns = Mapping[str, str] | None
COLUMNS = option(
    "--columns MEANING=NAME,...",
    "Which columns of a file with a header are meant, as in topic=qid,document=docno,score=sim.",
    parser=parse_columns,
)
WITH_SELF = option(
    "--with-self/--without-self",
    "Whether a topic's own name counts among its documents; by default not in BLAST's and other tables of "
    "E-values, where a query finds itself.",
)
QRELS_COLUMNS = option(
    "--qrels-columns MEANING=NAME,...", "The same of judgments, as in document=pid,grade=label.", parser=parse_columns
)


@dataclass(frozen=True)
class Kept:
    """What is kept with what is loaded, and whether that replaces something."""

    replace: bool = REPLACE
    meta: Names = option("--meta KEY=VALUE", "Something to keep with it; can be repeated.")

    def arguments(self) -> dict[str, Any]:
        """These options as what loads takes them; raises UsageError for a --meta that is no pair."""
        return {"replace": self.replace, "meta": self._meta()}

    def _meta(self) -> dict[str, str]:
        pairs = {}
        for text in self.meta:
            key, sign, value = text.partition("=")
            if not sign or not key:
                raise UsageError(f'--meta takes KEY=VALUE, found "{text}"')
            if key in pairs:
                raise UsageError(f"--meta gives {key} twice")
            pairs[key] = value
        return pairs


@dataclass(frozen=True)
class KeptWithRuns(Kept):
    """What is kept with runs: which load of which system they are, too."""

    system: str | None = option(
        "--system NAME", "Their system; evalsql history shows it over time.", complete="systems"
    )
    version: str | None = option("--version TEXT", "Version of the system, such as a commit.")
    date: str | None = option("--date DATE", "When the system gave these runs; by default they are of now.")

    def _meta(self) -> dict[str, str]:
        """System, version and date with the meta; raises UsageError where both say something, or the date is none."""
        date = None if self.date is None else parse_date(self.date, "--date")
        given = {"system": self.system, "version": self.version, "date": date}
        facts, meta = {key: value for key, value in given.items() if value is not None}, super()._meta()
        for key, value in facts.items():
            if key in meta:
                raise UsageError(f"--{key} and --meta {key}= are the same; give one of them")
            if not value:
                raise UsageError(f"--{key} is empty")
        return {**facts, **meta}


@dataclass(frozen=True)
class JudgmentReading:
    form: Form = FORM
    queries: str | None = option(
        "--queries FILE",
        "Of --form families the members that were searched for: names, one a line, or FASTA; by default all.",
    )
    with_self: bool | None = WITH_SELF

    def arguments(self) -> dict[str, Any]:
        return {**asdict(self), "with_self": bool(self.with_self)}


@dataclass(frozen=True)
class RunReading:
    columns: Columns = COLUMNS
    tie_rule: TieRule | None = option(
        "--tie-rule",
        "How documents are ordered: score as 32-bit float then document (trec_eval), the same with 64 bits "
        "(trec_eval_10), the rank column (rank), the order of the lines (input). By default trec_eval; "
        "trec_eval_10 with --lower-is-better.",
    )
    lower_is_better: bool = flag("--lower-is-better", "Smaller scores are better, as E-values are.")
    keep_best: bool = KEEP_BEST

    def options(self, **further: Any) -> RunOptions:
        return RunOptions(**asdict(self), **further)


_TOPICS_OF = option("--qrels NAME", "Judgments whose topics they are, by default the only set.", complete="qrels")
_REPLACE_TEXTS = flag("--replace", "Take the place of texts and groups of the same names.")


@command
def qrels(
    *,
    file: str = QRELS_FILE,
    name: str | None = option("--name", "Name of the set; by default the file's stem."),
    reading: JudgmentReading,
    columns: Columns = COLUMNS,
    run: Names = option("--run NAME", "Run held, or glob, to evaluate with it; can be repeated.", complete="runs"),
    keep_best: bool = KEEP_BEST,
    kept: Kept,
    loading: Loading,
) -> None:
    """Load relevance judgments: topic, iteration, document, grade.

    Example: evalsql load qrels qrels.txt --name robust04
    """
    arguments = {**reading.arguments(), **kept.arguments(), "keep_best": keep_best, "columns": columns}
    with loading.open([file, *filter(None, [reading.queries])]) as warehouse:
        weights = _num_weights(warehouse)
        loaded = warehouse.load_qrels(file, name, runs=run, **arguments)
        ((rows, topics, repeated),) = warehouse.rows(
            """
            select holdings.num_rows, holdings.num_topics, qrels.duplicates
            from holdings join qrels on qrels.qrels = holdings.name
            where holdings.kind = 'qrels' and holdings.name = ?
            """,
            [loaded],
        )
        held = f"{counted(rows, 'judgment')} of {counted(topics, 'topic')}"
        note(f"loaded judgments {loaded}: {held}{_left_out(repeated)}{_read_as(warehouse)}")
        _note_replaced(warehouse, loaded, weights)


@command
def weights(
    *,
    file: str = argument("Lines of topic and weight, compressed or not; - is standard input.", ...),
    qrels: str = option("--qrels NAME", "Judgments whose topics they weigh.", ..., complete="qrels"),
    replace: bool = flag("--replace", "Take the place of all weights it has."),
    loading: Loading,
) -> None:
    """Load weights of topics, which TAP goes by: topic, weight.

    Topics without one weigh 1.

    Example: evalsql load weights weights.txt --qrels sample
    """
    with loading.open([file]) as warehouse:
        loaded = warehouse.load_weights(file, qrels, replace=replace)
        weights = counted(_num_weights(warehouse)[loaded], "weight")
        note(f"loaded {weights} for the {counted(_num_topics(warehouse, loaded), 'topic')} of {loaded}")


@command
def runs(
    *,
    files: Names = RUN_FILES,
    name: str | None = option(
        "--name", "Name of the run, all files being one; by default each file's stem names a run."
    ),
    qrels: Names = option(
        "--qrels NAME", "Judgments to evaluate with, by default the only set; can be repeated.", complete="qrels"
    ),
    reading: RunReading,
    with_self: bool | None = WITH_SELF,
    depth: int | None = option("--depth", "Keep so many documents of each topic.", min=1),
    judged_by: str | None = option(
        "--judged-by NAME", "Keep only documents that these judgments judge; after --depth.", complete="qrels"
    ),
    kept: KeptWithRuns,
    loading: Loading,
) -> None:
    """Load runs: topic, Q0, document, rank, score, tag.

    All files are loaded or none.

    Example: evalsql load runs 'runs/*.run' --qrels sample --meta batch=7
    """
    options = reading.options(with_self=with_self, depth=depth, judged_by=judged_by, **kept.arguments())
    with loading.open(files) as warehouse:
        with progress_bar() as progress:
            loaded = warehouse.loader.load_run_files(files, options, name=name, qrels=qrels, progress=progress)
        ((rows, repeated, unpaired, lines, mixed),) = warehouse.rows(
            """
            select
                (select sum(num_ret) from run_topics join runs using (run_id) where list_contains($1, run)),
                sum(duplicates),
                count(*) filter (where run_id not in (select run_id from evaluations)),
                sum(case when comments = '' then 0 else len(string_split(comments, chr(10))) end),
                count(*) filter (where num_tags > 1)
            from runs where list_contains($1, run)
            """,
            [loaded],
        )
        retrieved = f"{counted(rows, 'document')} retrieved{_left_out(repeated)}"
        note(f"loaded {counted(len(loaded), 'run')}: {retrieved}{_read_as(warehouse)}")
        if lines:
            note(f"{counted(lines, 'comment or header line')} kept with them")
        if mixed:
            note(f"{counted(mixed, 'run')} with several tags in the file; the last one is kept")
        if unpaired:
            note(f"{counted(unpaired, 'run')} without judgments yet; evalsql load qrels FILE --run NAME joins them")


@command
def scores(
    *,
    source: str = argument("What evalsql spark eval wrote, a folder of Parquet files, or one.", ...),
    qrels: str | None = option("--qrels NAME", "Judgments they were computed with.", complete="qrels"),
    kept: Kept,
    loading: Loading,
) -> None:
    """Load scores that were computed elsewhere, without rankings.

    They are Parquet: qrels, run, topic, measure, value. Load the judgments first.

    Example: evalsql load scores scores.parquet
    """
    from evalsql.ingest.scores import found_files

    arguments = kept.arguments()
    files = [file for some in found_files(source) for file in some]
    with loading.open(files) as warehouse:
        loaded = warehouse.load_scores(source, qrels=qrels, **arguments)
        ((rows, measures),) = warehouse.rows(
            "select count(*), count(distinct measure) from stored_values where list_contains($1, run)", [loaded]
        )
        values = f"{counted(rows, 'value')} of {counted(measures, 'measure')}"
        note(f"loaded scores of {counted(len(loaded), 'run')}: {values} are held of them")


@command
def lists(
    *,
    files: Names = argument(
        "Retrieval lists of the TAP-k program, compressed or not, or globs; - is standard input.", ...
    ),
    name: str | None = option(
        "--name", "Name of run and judgments, all files being one; by default each file's stem names its own."
    ),
    qrels: str | None = option("--qrels NAME", "Another name for the judgments; for one set only."),
    order: Order | None = option(
        "--order", "Whether scores rise, as E-values, or fall from best to worst; by default the lists tell."
    ),
    kept: Kept,
    loading: Loading,
) -> None:
    """Load retrieval lists as judgments, a run and weights.

    They are blocks of query and weight, relevant documents in all, then relevance and score of each document.

    Example: evalsql load lists lists.txt --name blast
    """
    arguments = kept.arguments()
    with loading.open(files) as warehouse:
        held = _num_weights(warehouse)
        loaded = warehouse.load_lists(files, name=name, qrels=qrels, order=order, **arguments)
        given = _num_weights(warehouse)
        for run in loaded:
            judged = qrels or run
            ((topics, rows, rising),) = warehouse.rows(
                """
                select qrels_held.num_topics, run_held.num_rows, runs.lower_is_better
                from holdings as qrels_held, holdings as run_held
                join runs on runs.run = run_held.name
                where qrels_held.kind = 'qrels' and qrels_held.name = ?
                    and run_held.kind = 'run' and run_held.name = ? and run_held.qrels = qrels_held.name
                """,
                [judged, run],
            )
            note(
                f"loaded lists {run}: {counted(topics, 'topic')}, {counted(given.get(judged, 0), 'weight')}, "
                f"{counted(rows, 'document')} retrieved, {'lower' if rising else 'higher'} scores being better"
            )
            _note_replaced(warehouse, judged, held)


@command
def topics(
    *,
    file: str = argument(
        "TSV, CSV, JSON lines, JSON, Parquet, TREC topics (SGML or XML), irds:DATASET; - is standard input.", ...
    ),
    qrels: str | None = _TOPICS_OF,
    columns: Columns = COLUMNS,
    replace: bool = _REPLACE_TEXTS,
    loading: Loading,
) -> None:
    """Load the texts of topics, and groups that they belong to.

    What is neither text, description nor narrative is a group, such as a column language.

    Example: evalsql load topics queries.tsv --qrels sample
    """
    _load_topics(loading, file, qrels, columns, replace=replace)


@command
def groups(
    *,
    file: str = argument("TSV or CSV with a header, JSON lines, or two columns with --key; - is standard input.", ...),
    key: str | None = option("--key KEY", "What the groups are, where a file has no header."),
    qrels: str | None = _TOPICS_OF,
    columns: Columns = COLUMNS,
    replace: bool = _REPLACE_TEXTS,
    loading: Loading,
) -> None:
    """Load groups of topics, by which leaderboard --by splits figures.

    Each column beside the topic is one, under its name.

    Example: evalsql load groups groups.csv --qrels sample
    """
    if key is not None and not key.strip():
        raise UsageError("--key names what the groups are, such as language")
    _load_topics(loading, file, qrels, columns, replace=replace, key=key, only_groups=True)


@command
def measures(
    *,
    sources: Names = argument("Relation files, or folders of them.", ...),
    replace: bool = REPLACE,
    loading: Loading,
) -> None:
    """Keep measures of your own in the warehouse.

    Each is one SELECT below a header as those of the package have it.

    Example: evalsql load measures own/
    """
    with loading.open() as warehouse:
        loaded = warehouse.load_measures(sources, replace=replace)
    note(f"loaded {counted(len(loaded), 'measure')}: {', '.join(loaded)}")


def _load_topics(loading: Loading, file: str, qrels: str | None, columns: Columns, **options: Any) -> None:
    with loading.open([file]) as warehouse:
        loaded = warehouse.load_topics(file, qrels=qrels, columns=columns, **options)
        judged = _num_topics(warehouse, loaded.qrels)
        named = ", ".join(f"{key} of {count}" for key, count in loaded.keys.items())
        note(f"loaded {counted(loaded.num_topics, 'topic')} of the {judged:,} of {loaded.qrels}: {named}")
        lacking = warehouse.rows(
            """
            select topic from weighted_topics where qrels = $1 and topic not in (
                select topic from topic_meta join qrels using (qrels_id) join topics using (topic_id)
                where qrels = $1 and list_contains($2, key)
            ) order by topic
            """,
            [loaded.qrels, list(loaded.keys)],
        )
        if lacking:
            names = shortened([topic for (topic,) in lacking])
            note(f"  nothing was loaded of {counted(len(lacking), 'topic')}: {names}")


def _num_topics(warehouse: Warehouse, qrels: str) -> int:
    ((found,),) = warehouse.rows("select num_topics from holdings where kind = 'qrels' and name = ?", [qrels])
    return int(found)


def _num_weights(warehouse: Warehouse) -> dict[str, int]:
    """How many weights each judgment set has that has any."""
    return dict(warehouse.rows("select qrels, count(*) from topic_weights join qrels using (qrels_id) group by qrels"))


def _read_as(warehouse: Warehouse) -> str:
    """The format that the last load recognised; further lines are what it left out."""
    return "".join(f"; {line}" for line in warehouse.loader.notices)


def _left_out(repeated: int) -> str:
    return f", {counted(repeated, 'repeated document')} left out" if repeated else ""


def _note_replaced(warehouse: Warehouse, loaded: str, weights: Mapping[str, int]) -> None:
    """Print how many weights went with the judgments that this load replaced, and the names under which those stay."""
    if loaded in weights and loaded not in _num_weights(warehouse):
        note(f"{counted(weights[loaded], 'weight')} went with the judgments replaced")
    names = warehouse.rows(
        """
        select old.qrels from qrels as old join qrels as new on old.replaced_at = new.loaded_at
        where new.qrels = ? and old.qrels = new.qrels || regexp_extract(old.qrels, '@[0-9]+$')
        """,
        [loaded],
    )
    note(*(f"the judgments before stay as {name}; --qrels {name} evaluates with them" for (name,) in names))
