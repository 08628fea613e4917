"""``evalsql load topics``, ``groups`` and ``measures``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from evalsql.cli.access import Loading
from evalsql.cli.commands import grouped_options
from evalsql.cli.load_options import Columns, Replace
from evalsql.cli.options import qrels_option
from evalsql.cli.output import note
from evalsql.errors import UsageError
from evalsql.ingest import column_meanings as known_columns
from evalsql.phrases import counted, shortened
from evalsql.warehouse.warehouse import Warehouse

if TYPE_CHECKING:
    from evalsql.ingest.load_topics import LoadedTopics


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
