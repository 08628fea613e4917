"""``evalsql trec_eval``: takes trec_eval's options and prints its lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Literal

import typer

from evalsql.catalog.measure_names import trec_names, unknown_measure
from evalsql.catalog.relations import RELEVANCE_STRING, RUN_ID, TREC_GROUPS, TREC_ORDER, read_catalog
from evalsql.cli.access import Where
from evalsql.cli.measures_compile import print_page
from evalsql.cli.options import Names, argument, command, flag, option
from evalsql.cli.output import note, standard_output
from evalsql.errors import UsageError
from evalsql.trec_eval import Options, lines

USAGE_EXIT = 1  # trec_eval's; refused files end with 2 and runs without a topic of the judgments with 7
_LONG_OPTIONS = (
    *("help", "version", "query_eval_wanted", "measure", "complete_rel_info_wanted", "level_for_rel", "nosummary"),
    *("Judged_docs_only", "Number_docs_in_coll", "Max_retrieved_per_topic", "Rel_info_format", "Results_format"),
    *("Zscore", "version-profile"),
)


@dataclass(frozen=True)
class _Settings:
    """Options that go by the same name in ``evalsql.trec_eval.Options``."""

    per_topic: bool = flag("-q --query_eval_wanted", "Print every topic too.")
    complete: bool = flag("-c --complete_rel_info_wanted", "Average over all topics of the judgments.")
    level: int = option("-l --level_for_rel N", "Least grade that counts as relevant.", 1, min=0)
    depth: int | None = option("-M --Max_retrieved_per_topic N", "Evaluate so many documents a topic.", min=1)
    collection: int = option("-N --Number_docs_in_coll N", "Documents in the collection, for utility.", 0, min=0)
    judged_only: bool = flag("-J --Judged_docs_only", "Leave out what is not judged.")
    zscores: str | None = option("-Z --Zscore FILE", "Print distances from means given there.")
    judgments_format: Literal["qrels", "qrels_jg", "prefs", "qrels_prefs"] = option(
        "-R --Rel_info_format", "Format of the judgments.", "qrels"
    )
    version: Literal["9.0.8", "10.0"] = option("--version-profile", "The version to be like.", "9.0.8")


@command
def trec_eval(
    context: typer.Context,
    *,
    files: Names = argument("Judgments, then the run.", metavar="QRELS RUN"),
    settings: _Settings,
    measure: Names = option("-m --measure NAME", "NAME, NAME.VALUES or a group of names; can be repeated."),
    no_summary: bool = flag("-n --nosummary", "Do not print the summary."),
    results_format: Literal["trec_results"] = option("-T --Results_format", "Format of the run.", "trec_results"),
    show_help: bool = flag("-h --help", "Show this, or with -m the pages of those measures, and exit."),
    show_version: bool = flag("-v --version", "Say the version and exit."),
) -> None:
    """Print what trec_eval prints for a run, line by line.

    Groups of measures: official, set, all_trec, prefs, all_prefs, qrels_jg. Files are read as evalsql load reads
    them: plain, .gz or .zst, - for standard input, and what cannot be read is refused with file and line.

    Where a version goes wrong (it crashes, divides 0 by 0, reads what it never wrote, or 10.0 stops at a topic that
    the run leaves out) this gives what is meant; evalsql measures NAME and -h -m NAME say where.

    Example: evalsql trec_eval -q -m map -m P.5,10 qrels.txt runs/first.run
    """
    try:
        if show_version:
            note(f"evalsql trec_eval, like version {settings.version}")
        elif show_help:
            _help(context, measure or [])
        else:
            if files is None or len(files) != 2:
                found = len(files or ())
                raise UsageError(f"expected two files, judgments and run; found {found} (-h shows the options)")
            qrels, run = files
            options = Options(measure or ["official"], summary=not no_summary, **asdict(settings))
            printed = lines(qrels, run, read_catalog(), options, opening=lambda path: Where(db=path).open_file())
            with standard_output() as stream:
                stream.writelines(f"{line}\n" for line in printed)
    except UsageError as error:
        error.exit_code = USAGE_EXIT
        raise


def expand_long_options(arguments: Sequence[str]) -> list[str]:
    """The arguments with long options that are cut short, as trec_eval takes them, written out."""
    whole: list[str] = []
    for each in arguments:
        name, sign, value = each.removeprefix("--").partition("=")
        meant = [long for long in _LONG_OPTIONS if long.startswith(name)]
        is_short = each.startswith("--") and name not in _LONG_OPTIONS and len(meant) == 1
        whole.append(f"--{meant[0]}{sign}{value}" if is_short else each)
    return whole


def _help(context: typer.Context, measures: list[str]) -> None:
    """The options, or the pages of the measures that are named."""
    if not measures:
        print(context.get_help())
        return
    catalog = read_catalog()
    names = trec_names(catalog)
    bases = [text.partition(".")[0] for text in measures]
    if unknown := [base for base in bases if base not in {*TREC_ORDER, *TREC_GROUPS}]:
        raise UsageError(
            "\n".join(unknown_measure(base, {each: each for each in (*TREC_ORDER, *TREC_GROUPS)}) for base in unknown)
        )
    for base in bases:
        if base in (RUN_ID, RELEVANCE_STRING):
            print(f"{base}: text, no measure; see the tables runs and relstring of a warehouse\n")
    wanted = {name for base in bases for name in TREC_GROUPS.get(base, [base])}
    relations = dict.fromkeys(names[name].relation.name for name in TREC_ORDER if name in wanted and name in names)
    for relation in relations:
        print_page(catalog, catalog[relation])
        print()
