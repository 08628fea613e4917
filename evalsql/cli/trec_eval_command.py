"""``evalsql trec_eval``: takes trec_eval's options and prints its lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

import typer

from evalsql.catalog.measure_names import trec_names, unknown_measure
from evalsql.catalog.relations import read_catalog
from evalsql.catalog.trec_groups import GROUPS, ORDER, RELEVANCE_STRING, RUN_ID
from evalsql.cli.access import Where
from evalsql.cli.options import grouped_options
from evalsql.cli.output import note, print_page, standard_output
from evalsql.errors import UsageError
from evalsql.trec_eval import Options, lines

USAGE_EXIT = 1  # trec_eval's; refused files end with 2 and runs without a topic of the judgments with 7
_LONG_OPTIONS = (
    *("help", "version", "query_eval_wanted", "measure", "complete_rel_info_wanted", "level_for_rel", "nosummary"),
    *("Judged_docs_only", "Number_docs_in_coll", "Max_retrieved_per_topic", "Rel_info_format", "Results_format"),
    *("Zscore", "version-profile"),
)
_FORMATS = Literal["qrels", "qrels_jg", "prefs", "qrels_prefs"]


@grouped_options
def trec_eval(
    context: typer.Context,
    files: Annotated[list[str] | None, typer.Argument(metavar="QRELS RUN", help="Judgments, then the run.")] = None,
    per_topic: Annotated[bool, typer.Option("-q", "--query_eval_wanted", help="Print every topic too.")] = False,
    no_summary: Annotated[bool, typer.Option("-n", "--nosummary", help="Do not print the summary.")] = False,
    complete: Annotated[
        bool, typer.Option("-c", "--complete_rel_info_wanted", help="Average over all topics of the judgments.")
    ] = False,
    level: Annotated[
        int, typer.Option("-l", "--level_for_rel", min=0, metavar="N", help="Least grade that counts as relevant.")
    ] = 1,
    depth: Annotated[
        int | None,
        typer.Option("-M", "--Max_retrieved_per_topic", min=1, metavar="N", help="Evaluate so many documents a topic."),
    ] = None,
    collection: Annotated[
        int,
        typer.Option(
            "-N", "--Number_docs_in_coll", min=0, metavar="N", help="Documents in the collection, for utility."
        ),
    ] = 0,
    judged_only: Annotated[
        bool, typer.Option("-J", "--Judged_docs_only", help="Leave out what is not judged.")
    ] = False,
    measure: Annotated[
        list[str] | None,
        typer.Option("-m", "--measure", metavar="NAME", help="NAME, NAME.VALUES or a group of names; can be repeated."),
    ] = None,
    zscores: Annotated[
        str | None, typer.Option("-Z", "--Zscore", metavar="FILE", help="Print distances from means given there.")
    ] = None,
    judgments_format: Annotated[
        _FORMATS, typer.Option("-R", "--Rel_info_format", help="Format of the judgments.")
    ] = "qrels",
    results_format: Annotated[
        Literal["trec_results"], typer.Option("-T", "--Results_format", help="Format of the run.")
    ] = "trec_results",
    version: Annotated[
        Literal["9.0.8", "10.0"], typer.Option("--version-profile", help="The version to be like.")
    ] = "9.0.8",
    show_help: Annotated[
        bool, typer.Option("-h", "--help", help="Show this, or with -m the pages of those measures, and exit.")
    ] = False,
    show_version: Annotated[bool, typer.Option("-v", "--version", help="Say the version and exit.")] = False,
) -> None:
    """Print what trec_eval prints for a run, line by line.

    Groups of measures: official, set, all_trec, prefs, all_prefs, qrels_jg. Files are read as evalsql load reads
    them: plain, .gz or .zst, - for standard input, and what cannot be read is refused with file and line.

    Where a version goes wrong (it crashes, divides 0 by 0, reads what it never wrote, or 10.0 stops at a topic that
    the run leaves out) this gives what is meant; evalsql measures NAME and -h -m NAME say where.

    Example: evalsql trec_eval -q -m map -m P.5,10 qrels.txt runs/first.run
    """
    options = Options(
        measures=measure or ["official"],
        version=version,
        per_topic=per_topic,
        summary=not no_summary,
        complete=complete,
        level=level,
        depth=depth,
        collection=collection,
        judged_only=judged_only,
        judgments_format=judgments_format,
        zscores=zscores,
    )
    try:
        if show_version:
            note(f"evalsql trec_eval, like version {version}")
        elif show_help:
            _help(context, measure or [])
        else:
            _print_lines(files or [], options)
    except UsageError as error:
        error.exit_code = USAGE_EXIT
        raise


def expand_long_options(arguments: Sequence[str]) -> list[str]:
    """The arguments with long options that are cut short, as trec_eval takes them, written out."""
    whole: list[str] = []
    for argument in arguments:
        name, sign, value = argument.removeprefix("--").partition("=")
        meant = [option for option in _LONG_OPTIONS if option.startswith(name)]
        if argument.startswith("--") and name not in _LONG_OPTIONS and len(meant) == 1:
            argument = f"--{meant[0]}{sign}{value}"
        whole.append(argument)
    return whole


def _print_lines(files: list[str], options: Options) -> None:
    if len(files) != 2:
        raise UsageError(f"expected two files, judgments and run; found {len(files)} (-h shows the options)")
    printed = lines(files[0], files[1], read_catalog(), options, opening=lambda path: Where(db=path).open_file())
    with standard_output() as stream:
        for line in printed:
            stream.write(line + "\n")


def _help(context: typer.Context, measures: list[str]) -> None:
    """The options, or the pages of the measures that are named."""
    if not measures:
        print(context.get_help())
        return
    catalog = read_catalog()
    names = trec_names(catalog)
    bases = [text.partition(".")[0] for text in measures]
    if unknown := [base for base in bases if base not in {*ORDER, *GROUPS}]:
        raise UsageError(
            "\n".join(unknown_measure(base, {each: each for each in (*ORDER, *GROUPS)}) for base in unknown)
        )
    for base in bases:
        if base in (RUN_ID, RELEVANCE_STRING):
            print(f"{base}: text, no measure; see the tables runs and relstring of a warehouse\n")
    wanted = {name for base in bases for name in GROUPS.get(base, [base])}
    relations = dict.fromkeys(names[name].relation.name for name in ORDER if name in wanted and name in names)
    for relation in relations:
        print_page(catalog, catalog[relation])
        print()
