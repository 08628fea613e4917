"""``evalsql load``: judgments, runs, lists, scores, weights, topics, groups and measures of one's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from evalsql.cli.access import Loading
from evalsql.cli.load_options import (
    Columns,
    Form,
    KeepBest,
    Meta,
    Queries,
    Replace,
    RunFacts,
    RunReading,
    WithSelf,
    parse_meta,
)
from evalsql.cli.options import complete_qrels, grouped_options, qrels_option, run_option
from evalsql.cli.output import note, progress_bar
from evalsql.errors import UsageError
from evalsql.ingest import column_meanings as known_columns
from evalsql.phrases import counted, shortened
from evalsql.warehouse.warehouse import Warehouse

if TYPE_CHECKING:
    from evalsql.ingest.topic_values import LoadedTopics


def num_weights(warehouse: Warehouse) -> dict[str, int]:
    """How many weights each judgment set has that has any."""
    return dict(warehouse.rows("select qrels, count(*) from topic_weights join qrels using (qrels_id) group by qrels"))


def read_as(warehouse: Warehouse) -> str:
    """The format that the last load recognised; further lines are what it left out."""
    return "".join(f"; {line}" for line in warehouse.loader.notices)


def left_out_words(count: int) -> str:
    """How many repeated documents were left out; empty if none."""
    return f", {counted(count, 'repeated document')} left out" if count else ""


def note_set_aside(warehouse: Warehouse, loaded: str) -> None:
    """Tell under which name judgments stay that this load has put others in the place of."""
    names = warehouse.rows(
        """
        select old.qrels from qrels as old join qrels as new on old.replaced_at = new.loaded_at
        where new.qrels = ? and old.qrels = new.qrels || regexp_extract(old.qrels, '@[0-9]+$')
        """,
        [loaded],
    )
    for (name,) in names:
        note(f"the judgments before stay as {name}; --qrels {name} evaluates with them")


@grouped_options
def qrels(
    *,
    file: Annotated[
        str,
        typer.Argument(
            help="TREC qrels, CSV, TSV, Parquet, JSON, LETOR, a BEIR folder or irds:DATASET; - is standard input."
        ),
    ],
    name: Annotated[str | None, typer.Option(help="Name of the set; by default the file's stem.")] = None,
    form: Form = "grades",
    columns: Columns = None,
    queries: Queries = None,
    with_self: WithSelf = None,
    run: Annotated[
        list[str] | None,
        run_option(
            help="Run already held, or glob, to evaluate with it; can be repeated.",
        ),
    ] = None,
    keep_best: KeepBest = False,
    replace: Replace = False,
    meta: Meta = None,
    loading: Loading,
) -> None:
    """Load relevance judgments: topic, iteration, document, grade.

    Example: evalsql load qrels qrels.txt --name robust04
    """
    pairs = parse_meta(meta)
    with loading.open([file, *filter(None, [queries])]) as warehouse:
        weights = num_weights(warehouse)
        loaded = warehouse.load_qrels(
            file,
            name,
            form=form,
            runs=run or (),
            keep_best=keep_best,
            replace=replace,
            meta=pairs,
            columns=known_columns.parse(columns),
            queries=queries,
            with_self=bool(with_self),
        )
        ((rows, topics, left_out),) = warehouse.rows(
            """
            select holdings.num_rows, holdings.num_topics, qrels.duplicates
            from holdings join qrels on qrels.qrels = holdings.name
            where holdings.kind = 'qrels' and holdings.name = ?
            """,
            [loaded],
        )
        note(
            f"loaded judgments {loaded}: {counted(rows, 'judgment')} of {counted(topics, 'topic')}"
            + left_out_words(left_out)
            + read_as(warehouse)
        )
        if loaded in weights:
            note(f"{counted(weights[loaded], 'weight')} went with the judgments replaced")
        note_set_aside(warehouse, loaded)


@grouped_options
def weights(
    *,
    file: Annotated[str, typer.Argument(help="Lines of topic and weight, compressed or not; - is standard input.")],
    qrels: Annotated[
        str,
        qrels_option(help="Judgments whose topics they weigh."),
    ],
    replace: Annotated[bool, typer.Option("--replace", help="Take the place of all weights it has.")] = False,
    loading: Loading,
) -> None:
    """Load weights of topics, which TAP goes by: topic, weight.

    Topics without one weigh 1.

    Example: evalsql load weights weights.txt --qrels sample
    """
    with loading.open([file]) as warehouse:
        loaded = warehouse.load_weights(file, qrels, replace=replace)
        ((topics,),) = warehouse.rows("select num_topics from holdings where kind = 'qrels' and name = ?", [loaded])
        note(
            f"loaded {counted(num_weights(warehouse)[loaded], 'weight')} for the {counted(topics, 'topic')} of {loaded}"
        )


@grouped_options
def runs(
    *,
    files: Annotated[
        list[str],
        typer.Argument(
            help="TREC runs, CSV, TSV, Parquet, JSON, BLAST, folders, tar archives or globs; - is standard input."
        ),
    ],
    name: Annotated[
        str | None, typer.Option(help="Name of the run, all files being one; by default each file's stem names a run.")
    ] = None,
    qrels: Annotated[
        list[str] | None,
        qrels_option(
            help="Judgments to evaluate with, by default the only set there is; can be repeated.",
        ),
    ] = None,
    reading: RunReading,
    with_self: WithSelf = None,
    depth: Annotated[int | None, typer.Option(min=1, help="Keep so many documents of each topic.")] = None,
    judged_by: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            autocompletion=complete_qrels,
            help="Keep only documents that these judgments judge; after --depth.",
        ),
    ] = None,
    replace: Replace = False,
    facts: RunFacts,
    meta: Meta = None,
    loading: Loading,
) -> None:
    """Load runs: topic, Q0, document, rank, score, tag.

    All files are loaded or none.

    Example: evalsql load runs 'runs/*.run' --qrels sample --meta batch=7
    """
    pairs = facts.with_meta(parse_meta(meta))
    options = reading.options(with_self=with_self, depth=depth, judged_by=judged_by, replace=replace, meta=pairs)
    with loading.open(files) as warehouse:
        with progress_bar() as progress:
            loaded = warehouse.loader.load_run_files(files, options, name=name, qrels=qrels or (), progress=progress)
        ((rows, left_out, unpaired, lines, mixed),) = warehouse.rows(
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
        retrieved = f"{counted(rows, 'document')} retrieved" + left_out_words(left_out)
        note(f"loaded {counted(len(loaded), 'run')}: {retrieved}" + read_as(warehouse))
        if lines:
            note(f"{counted(lines, 'comment or header line')} kept with them")
        if mixed:
            note(f"{counted(mixed, 'run')} with several tags in the file; the last one is kept")
        if unpaired:
            note(f"{counted(unpaired, 'run')} without judgments yet; evalsql load qrels FILE --run NAME joins them")


@grouped_options
def scores(
    *,
    source: Annotated[str, typer.Argument(help="What evalsql spark eval wrote, a folder of Parquet files, or one.")],
    qrels: Annotated[
        str | None,
        qrels_option(help="Judgments they were computed with."),
    ] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Take the place of stored scores of the same.")] = False,
    meta: Meta = None,
    loading: Loading,
) -> None:
    """Load scores that were computed elsewhere, without rankings.

    They are Parquet: qrels, run, topic, measure, value. Load the judgments first.

    Example: evalsql load scores scores.parquet
    """
    from evalsql.ingest.scores import found_files

    pairs = parse_meta(meta)
    files = [file for some in found_files(source) for file in some]
    with loading.open(files) as warehouse:
        loaded = warehouse.load_scores(source, qrels=qrels, replace=replace, meta=pairs)
        ((rows, measures),) = warehouse.rows(
            "select count(*), count(distinct measure) from stored_values where list_contains($1, run)", [loaded]
        )
        note(
            f"loaded scores of {counted(len(loaded), 'run')}: {counted(rows, 'value')} of "
            f"{counted(measures, 'measure')} are held of them"
        )


@grouped_options
def lists(
    *,
    files: Annotated[
        list[str],
        typer.Argument(help="Retrieval lists of the TAP-k program, compressed or not, or globs; - is standard input."),
    ],
    name: Annotated[
        str | None,
        typer.Option(help="Name of run and judgments, all files being one; by default each file's stem names its own."),
    ] = None,
    qrels: Annotated[
        str | None, typer.Option("--qrels", metavar="NAME", help="Another name for the judgments; for one set only.")
    ] = None,
    order: Annotated[
        Literal["asc", "desc"] | None,
        typer.Option(help="Whether scores rise, as E-values, or fall from best to worst; by default the lists tell."),
    ] = None,
    replace: Replace = False,
    meta: Meta = None,
    loading: Loading,
) -> None:
    """Load retrieval lists as judgments, a run and weights.

    They are blocks of query and weight, relevant documents in all, then relevance and score of each document.

    Example: evalsql load lists lists.txt --name blast
    """
    pairs = parse_meta(meta)
    with loading.open(files) as warehouse:
        held = num_weights(warehouse)
        loaded = warehouse.load_lists(files, name=name, qrels=qrels, order=order, replace=replace, meta=pairs)
        given = num_weights(warehouse)
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
            if judged in held and judged not in given:
                note(f"{counted(held[judged], 'weight')} went with the judgments replaced")
            note_set_aside(warehouse, judged)


Qrels = Annotated[
    str | None,
    qrels_option(
        help="Judgments whose topics they are, by default the only set there is.",
    ),
]
ReplaceTexts = Annotated[bool, typer.Option("--replace", help="Take the place of texts and groups of the same names.")]
_MOST_NAMED = 5


@grouped_options
def topics(
    *,
    file: Annotated[
        str,
        typer.Argument(
            help="TSV, CSV, JSON lines, JSON, Parquet, TREC topics (SGML or XML), irds:DATASET; - is standard input."
        ),
    ],
    qrels: Qrels = None,
    columns: Columns = None,
    replace: ReplaceTexts = False,
    loading: Loading,
) -> None:
    """Load the texts of topics, and groups that they belong to.

    What is neither text, description nor narrative is a group, such as a column language.

    Example: evalsql load topics queries.tsv --qrels sample
    """
    with loading.open([file]) as warehouse:
        loaded = warehouse.load_topics(file, qrels=qrels, replace=replace, columns=known_columns.parse(columns))
        _note_loaded(warehouse, loaded)


@grouped_options
def groups(
    *,
    file: Annotated[
        str,
        typer.Argument(help="TSV or CSV with a header, JSON lines, or two columns with --key; - is standard input."),
    ],
    key: Annotated[
        str | None, typer.Option("--key", metavar="KEY", help="What the groups are, where a file has no header.")
    ] = None,
    qrels: Qrels = None,
    columns: Columns = None,
    replace: ReplaceTexts = False,
    loading: Loading,
) -> None:
    """Load groups of topics, by which leaderboard --by splits figures.

    Each column beside the topic is one, under its name.

    Example: evalsql load groups groups.csv --qrels sample
    """
    if key is not None and not key.strip():
        raise UsageError("--key names what the groups are, such as language")
    with loading.open([file]) as warehouse:
        loaded = warehouse.load_topics(
            file, qrels=qrels, key=key, only_groups=True, replace=replace, columns=known_columns.parse(columns)
        )
        _note_loaded(warehouse, loaded)


def _note_loaded(warehouse: Warehouse, loaded: LoadedTopics) -> None:
    ((judged,),) = warehouse.rows("select num_topics from holdings where kind = 'qrels' and name = ?", [loaded.qrels])
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
        names = shortened([topic for (topic,) in lacking], _MOST_NAMED)
        note(f"  nothing was loaded of {counted(len(lacking), 'topic')}: {names}")


@grouped_options
def load_measures(
    *,
    sources: Annotated[list[str], typer.Argument(help="Relation files, or folders of them.")],
    replace: Replace = False,
    loading: Loading,
) -> None:
    """Keep measures of your own in the warehouse.

    Each is one SELECT below a header as those of the package have it.

    Example: evalsql load measures own/
    """
    with loading.open() as warehouse:
        loaded = warehouse.load_measures(sources, replace=replace)
    note(f"loaded {counted(len(loaded), 'measure')}: {', '.join(loaded)}")
