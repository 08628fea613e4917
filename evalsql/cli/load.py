"""``evalsql load``: judgments, runs, what is known of them, of topics and of documents; measures of one's own."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from evalsql.catalog.measure_names import with_arguments
from evalsql.cli import options
from evalsql.cli.declare import Names, argument, command, flag, option
from evalsql.cli.output import note, progress_bar, texts_lines
from evalsql.database.names import named
from evalsql.errors import UsageError
from evalsql.evaluation.notices import on_costs
from evalsql.ingest.load_options import Collapse, Unit
from evalsql.phrases import PUT_TOGETHER, counted, shortened
from evalsql.warehouse.warehouse import Warehouse


@command
def qrels(
    *,
    files: Names = options.QRELS_FILE,
    name: str | None = option("--name", "Name of the set; by default the file's stem."),
    reading: options.JudgmentReading,
    columns: options.Columns = options.COLUMNS,
    run: Names = option(
        "--run NAME",
        "Run held, or glob, to evaluate with it, by default all that wait; can be repeated.",
        complete="runs",
    ),
    keep_best: bool = options.KEEP_BEST,
    collection: str | None = option(
        "--collection NAME", "Collection that they judge; by default it is called as they."
    ),
    kept: options.Kept,
    loading: options.Loading,
) -> None:
    """Load relevance judgments: topic, iteration, document, grade.

    A file is one set, and a loop of the shell loads several. One set of several TREC files is
    cat FILES | evalsql load qrels - --name NAME.

    Example: evalsql load qrels qrels.txt --name robust04
    """
    if len(files) > 1:
        raise UsageError(f"{len(files)} files: judgments are loaded from one; {PUT_TOGETHER}")
    (file,) = files
    facts = kept.arguments(collection=collection)
    arguments = {**reading.arguments(), **facts, "keep_best": keep_best, "columns": columns}
    with loading.open([file, *filter(None, [reading.queries])]) as warehouse:
        weights = _num_weights(warehouse)
        loaded = warehouse.load_qrels(file, name, runs=run, **arguments)
        ((repeated,),) = warehouse.rows("select duplicates from qrels where qrels = ?", [loaded])
        num_topics, num_rows, _ = _size(warehouse, loaded)
        what = "nugget" if reading.form == "nuggets" else "judgment"
        held = f"{counted(num_rows, what)} of {counted(num_topics, 'topic')}"
        if repeated:
            held += f", {counted(repeated, 'repeated document')} left out"
        note("; ".join([f"loaded judgments {loaded}: {held}", *warehouse.loader.notices]))
        if runs := len(warehouse.rows(warehouse.evaluation.coverage_query(loaded, ()))):
            note(f"{counted(runs, 'run')} evaluated with them")
        _note_replaced(warehouse, loaded, weights)


@command
def weights(
    *,
    file: str = argument("Lines of topic and weight, compressed or not; - is standard input.", ...),
    qrels: str = option("--qrels NAME", "Judgments whose topics they weigh.", ..., complete="qrels"),
    replace: bool = flag("--replace", "Take the place of all weights it has."),
    loading: options.Loading,
) -> None:
    """Load weights of topics, which TAP goes by: topic, weight.

    Topics without one weigh 1.

    Example: evalsql load weights weights.txt --qrels sample
    """
    with loading.open([file]) as warehouse:
        loaded = warehouse.load_weights(file, qrels, replace=replace)
        num_topics, _, num_weights = _size(warehouse, loaded)
        note(f"loaded {counted(num_weights, 'weight')} for the {counted(num_topics, 'topic')} of {loaded}")


@command
def runs(
    *,
    files: Names = options.LISTED_RUN_FILES,
    manifest: str | None = option("--manifest FILE", "Lists files with system, collection, version; CSV, JSONL, TOML."),
    name: str | None = option("--name", "Name of the run, all files being one; by default each file's stem."),
    qrels: Names = option("--qrels NAME", "Judgments, by default the only set; can be repeated.", complete="qrels"),
    reading: options.RunReading,
    with_self: bool | None = options.WITH_SELF,
    collapse: Collapse | None = options.COLLAPSE,
    unit: Unit | None = options.UNIT,
    depth: int | None = option("--depth", "Keep so many documents of each topic.", min=1),
    judged_by: str | None = option("--judged-by NAME", "Keep only what these judge; after --depth.", complete="qrels"),
    kept: options.KeptWithRuns,
    loading: options.Loading,
) -> None:
    """Load runs: topic, Q0, document, rank, score, tag.

    All files are loaded or none.

    Example: evalsql load runs 'runs/*.run' --qrels sample --meta batch=7
    """
    from evalsql.ingest.run_loading import manifest_files

    how: dict[str, Any] = {"name": name, "qrels": qrels, "manifest": manifest, **asdict(reading), **kept.arguments()}
    how |= {"with_self": with_self, "collapse": collapse, "unit": unit, "depth": depth, "judged_by": judged_by}
    with loading.open(files if manifest is None else manifest_files(manifest)) as warehouse:
        with progress_bar() as progress:
            loaded = warehouse.load_runs(files, **how, progress=progress)
        query = warehouse.database.query("loaded_runs", {"loaded": "select unnest($1::varchar[]) as run"})
        first, *others = warehouse.database.column(f"select remark from ({query}) order by place", [loaded])
        note("; ".join([first, *warehouse.loader.notices]), *others)


@command
def scores(
    *,
    sources: Names = argument("Results of MTEB, BEIR, ranx, trec_eval or ir_measures, tables, folders, archives.", ...),
    qrels: str | None = option("--qrels NAME", "Judgments that values of topics were computed with.", complete="qrels"),
    collection: str | None = option("--collection NAME", "What they are of, where files do not say it."),
    measure: str | None = option("--measure -m MEASURE", "Of a table with a column for each collection."),
    percent: bool = flag("--percent", "Values are in per cent."),
    kept: options.KeptWithRuns,
    loading: options.Loading,
) -> None:
    """Load scores that were computed elsewhere, without rankings.

    Values over whole collections need no judgments. For those of topics load them first.

    Example: evalsql load scores results/ --meta source=mteb
    """
    from evalsql.ingest.scores import parquet_files

    told = {**kept.arguments(), "collection": collection, "measure": measure, "percent": percent}
    with loading.open(parquet_files(sources)) as warehouse:
        with progress_bar() as progress:
            loaded = warehouse.load_scores(sources, qrels=qrels, progress=progress, **told)
        note(*(f"{'' if at else 'loaded '}{line}" for at, line in enumerate(warehouse.loader.notices)))
        query = "count(*), count(distinct measure), count(distinct run) from stored_values where list_contains($1, run)"
        ((rows, measures, runs),) = warehouse.rows(f"select {query}", [loaded])
        if rows:
            values = f"{counted(rows, 'value')} of {counted(measures, 'measure')}"
            note(f"loaded scores of {counted(runs, 'run')}: {values} are held of them")


@dataclass(frozen=True)
class Answers:
    """What was judged of answers, and whose they are."""

    files: Names = argument("JSON lines of nuggetizer, CSV, TSV, JSON, Parquet, globs; - is standard input.", ...)
    qrels: str | None = option("--qrels NAME", "Nuggets of the topics, by default the only set.", complete="qrels")
    name: str | None = option("--name", "Name of the run; by default what the rows say, or each file's stem.")
    columns: options.Columns = options.COLUMNS


@command
def assignments(*, answers: Answers, kept: options.KeptWithRuns, loading: options.Loading) -> None:
    """Load which nuggets the answers of runs hold.

    Rows have topic, nugget, assignment, and perhaps run. An assignment is support, partial_support or not_support. Each
    nugget of a topic that is answered has one. Nuggets are loaded first, by load qrels --form nuggets.

    Example: evalsql load assignments assignments.jsonl --name rag-1
    """
    _load_answers("assignments", answers, kept, loading, "assignment")


@command
def citations(*, answers: Answers, kept: options.KeptWithRuns, loading: options.Loading) -> None:
    """Load whether what answers cite supports them.

    Rows have topic, sentence, document, support, and perhaps run. Support is 2, 1 or 0: in full, in part, not. A
    sentence that cites nothing has a row without document and support.

    Example: evalsql load citations citations.csv --name rag-1
    """
    _load_answers("citations", answers, kept, loading, "row")


def _load_answers(kind: str, answers: Answers, kept: options.KeptWithRuns, loading: options.Loading, what: str) -> None:
    given = asdict(answers)
    with loading.open(answers.files) as warehouse:
        loaded = getattr(warehouse, f"load_{kind}")(given.pop("files"), **given, **kept.arguments())
    held = f"{counted(loaded.num_answers, 'answer')} with {counted(loaded.num_rows, what)}"
    note(f"loaded answers to {loaded.qrels}: {counted(len(loaded.runs), 'run')}, {held}")


@command
def lists(
    *,
    files: Names = argument("Lists of the TAP-k program, compressed or not, or globs; - is standard input.", ...),
    name: str | None = option("--name", "Name of run and judgments, all files being one; by default each file's stem."),
    qrels: str | None = option("--qrels NAME", "Another name for the judgments; for one set only."),
    order: Literal["asc", "desc"] | None = option(
        "--order", "Whether scores rise, as E-values, or fall; by default the lists tell."
    ),
    kept: options.Kept,
    loading: options.Loading,
) -> None:
    """Load retrieval lists as judgments, a run and weights.

    They are blocks of query and weight, relevant documents in all, then relevance and score of each document.

    Example: evalsql load lists lists.txt --name blast
    """
    with loading.open(files) as warehouse:
        held = _num_weights(warehouse)
        loaded = warehouse.load_lists(files, name=name, qrels=qrels, order=order, **kept.arguments())
        for run in loaded:
            judged = qrels or run
            num_topics, _, num_weights = _size(warehouse, judged)
            of_run = "from holdings join runs on runs.run = name where holdings.kind = 'run' and name = ? limit 1"
            ((rows, rising),) = warehouse.rows(f"select holdings.num_rows, runs.lower_is_better {of_run}", [run])
            note(
                f"loaded lists {run}: {counted(num_topics, 'topic')}, {counted(num_weights, 'weight')}, "
                f"{counted(rows, 'document')} retrieved, {'lower' if rising else 'higher'} scores being better"
            )
            _note_replaced(warehouse, judged, held)


@command
def costs(
    *,
    files: Names = argument("JSON lines, CSV, TSV, Parquet or ir_metadata, or globs; - is standard input.", ...),
    run: str | None = option("--run NAME", "Whose costs they are, where the files do not name it.", complete="runs"),
    cost: Names = option("--cost NAME", "Column that is a cost, by default all others; can be repeated."),
    columns: options.Columns = options.COLUMNS,
    replace: bool = flag("--replace", "Take the place of the same costs of the same runs."),
    loading: options.Loading,
) -> None:
    """Load what runs cost: latency, tokens, money, energy.

    A row has a run and a number, perhaps a topic and a call; or a column for each cost. See evalsql help costs.

    Example: evalsql load costs costs.csv
    """
    with loading.open(files) as warehouse:
        loaded = warehouse.load_costs(files, run=run, costs=cost, columns=columns, replace=replace)
        values = f"{counted(loaded.num_values, 'value')} of {counted(len(loaded.costs), 'cost')}"
        note(f"loaded {values} of {counted(len(loaded.runs), 'run')}: {', '.join(loaded.costs)}")
        measures = [with_arguments(warehouse.catalog, "cost", name=name) for name in loaded.costs]
        note(*on_costs(warehouse.evaluation, measures, runs=loaded.runs))


@command
def measures(
    *,
    sources: Names = argument("Relation files, or folders of them.", ...),
    replace: bool = options.REPLACE,
    loading: options.Loading,
) -> None:
    """Keep measures of your own in the warehouse.

    Each is one SELECT below a header as those of the package have it.

    Example: evalsql load measures own/
    """
    with loading.open() as warehouse:
        loaded = warehouse.load_measures(sources, replace=replace)
    note(f"loaded {counted(len(loaded), 'measure')}: {', '.join(loaded)}")


def _size(warehouse: Warehouse, qrels: str) -> tuple[int, int, int]:
    """How many topics a judgment set has, how many judgments, and how many weights."""
    query = "select num_topics, num_rows, num_weights from holdings where kind = 'qrels' and name = ?"
    return warehouse.rows(query, [qrels])[0]


def _num_weights(warehouse: Warehouse) -> dict[str, int]:
    """How many weights each judgment set has that has any."""
    return dict(warehouse.rows(f"select qrels, count(*) from {named('topic_weights', 'qrels')} group by qrels"))


def _note_replaced(warehouse: Warehouse, loaded: str, weights: Mapping[str, int]) -> None:
    """Print what became of the judgments that this load replaced, and of their weights."""
    note(*warehouse.database.remarks("replaced_by", {}, qrels=loaded, num_weights=weights.get(loaded, 0)))


@dataclass(frozen=True)
class TopicOptions:
    """What ``Warehouse.load_topics`` takes by these names."""

    qrels: str | None = option(
        "--qrels NAME", "Judgments whose topics they are, by default the only set.", complete="qrels"
    )
    columns: options.Columns = options.COLUMNS
    replace: bool = flag("--replace", "Take the place of texts and groups of the same names.")


@command
def topics(
    *,
    file: str = argument(
        "TSV, CSV, JSON, Parquet, TREC topics, a BEIR folder, irds:DATASET; - is standard input.", ...
    ),
    of: TopicOptions,
    loading: options.Loading,
) -> None:
    """Load the texts of topics, and groups that they belong to.

    What is neither text, description nor narrative is a group, such as a column language.

    Example: evalsql load topics queries.tsv --qrels sample
    """
    _load_topics(loading, file, of)


@command
def groups(
    *,
    file: str = argument("TSV or CSV with a header, JSON lines, or two columns with --key; - is standard input.", ...),
    key: str | None = option("--key KEY", "What the groups are, where a file has no header."),
    of: TopicOptions,
    loading: options.Loading,
) -> None:
    """Load groups of topics, for leaderboard --by.

    Each column beside the topic is one, under its name.

    Example: evalsql load groups groups.csv --qrels sample
    """
    if key is not None and not key.strip():
        raise UsageError("--key names what the groups are, such as language")
    _load_topics(loading, file, of, key=key, only_groups=True)


@command
def documents(
    *,
    file: str = argument("JSON lines, TSV, CSV, Parquet, a BEIR folder, irds:DATASET; - is standard input.", ...),
    judged_only: bool = flag("--judged-only", "Only of judged documents, and not of all that runs retrieved."),
    characters: int = option("--characters N", "Keep the first so many of each title and text.", 2_000, min=1),
    columns: options.Columns = options.COLUMNS,
    replace: bool = flag("--replace", "Take the place of texts that are there; by default these stay."),
    loading: options.Loading,
) -> None:
    """Load titles and texts of the documents that are held.

    Other documents of the file are left out. Runs that are loaded later may bring documents without a text: load the
    file again, which adds theirs.

    Example: evalsql load documents corpus.jsonl --judged-only
    """
    how: dict[str, Any] = {"judged_only": judged_only, "characters": characters, "columns": columns}
    with loading.open([file]) as warehouse:
        with progress_bar() as progress:
            loaded = warehouse.load_documents(file, **how, replace=replace, progress=progress)
        held = texts_lines(warehouse)
    note(f"loaded texts of {counted(loaded.num_kept, 'document')}, of {loaded.num_read:,} in the file")
    stay = "had a text, which stays; --replace takes that of the file"
    named = "no judgment names" if judged_only else "no run retrieved and no judgment names"
    told = [
        (loaded.num_others, f"{counted(loaded.num_others, 'document')} left out, which {named}"),
        (loaded.num_held, f"{counted(loaded.num_held, 'document')} {stay}"),
        (loaded.num_empty, f"{counted(loaded.num_empty, 'document')} with neither title nor text"),
        (loaded.num_cut, f"{counted(loaded.num_cut, 'text')} cut after {characters:,} characters"),
    ]
    note(*(f"  {line}" for count, line in told if count))
    note(*(f"  now held: {line}" for line in held))


def _load_topics(loading: options.Loading, file: str, of: TopicOptions, **further: Any) -> None:
    with loading.open([file]) as warehouse:
        loaded = warehouse.load_topics(file, **asdict(of), **further)
        judged, *_ = _size(warehouse, loaded.qrels)
        named = ", ".join(f"{key} of {count}" for key, count in loaded.keys.items())
        note(f"loaded {counted(loaded.num_topics, 'topic')} of the {judged:,} of {loaded.qrels}: {named}")
        keys = {"given_keys": "select unnest($1::varchar[]) as key"}
        query = warehouse.database.query("topics_without_values", keys, qrels=loaded.qrels)
        if lacking := warehouse.database.column(query, [list(loaded.keys)]):
            note(f"  nothing was loaded of {counted(len(lacking), 'topic')}: {shortened(lacking)}")
