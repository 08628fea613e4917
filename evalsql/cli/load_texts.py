"""``evalsql load``: texts of topics, groups of topics, and texts of documents."""

from dataclasses import asdict, dataclass
from typing import Any

from evalsql.cli import options
from evalsql.cli.declare import argument, command, flag, option
from evalsql.cli.load import size
from evalsql.cli.options import Columns, Loading
from evalsql.cli.output import note, progress_bar, texts_lines
from evalsql.errors import UsageError
from evalsql.phrases import counted, shortened


@dataclass(frozen=True)
class TopicOptions:
    """What ``Warehouse.load_topics`` takes by these names."""

    qrels: str | None = option(
        "--qrels NAME", "Judgments whose topics they are, by default the only set.", complete="qrels"
    )
    columns: Columns = options.COLUMNS
    replace: bool = flag("--replace", "Take the place of texts and groups of the same names.")


@command
def topics(
    *,
    file: str = argument(
        "TSV, CSV, JSON, Parquet, TREC topics, a BEIR folder, irds:DATASET; - is standard input.", ...
    ),
    of: TopicOptions,
    loading: Loading,
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
    loading: Loading,
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
    columns: Columns = options.COLUMNS,
    replace: bool = flag("--replace", "Take the place of texts that are there; by default these stay."),
    loading: Loading,
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


def _load_topics(loading: Loading, file: str, of: TopicOptions, **further: Any) -> None:
    with loading.open([file]) as warehouse:
        loaded = warehouse.load_topics(file, **asdict(of), **further)
        judged, _ = size(warehouse, loaded.qrels)
        named = ", ".join(f"{key} of {count}" for key, count in loaded.keys.items())
        note(f"loaded {counted(loaded.num_topics, 'topic')} of the {judged:,} of {loaded.qrels}: {named}")
        keys = {"given_keys": "select unnest($1::varchar[]) as key"}
        query = warehouse.database.query("topics_without_values", keys, qrels=loaded.qrels)
        if lacking := warehouse.database.column(query, [list(loaded.keys)]):
            note(f"  nothing was loaded of {counted(len(lacking), 'topic')}: {shortened(lacking)}")
