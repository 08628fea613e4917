"""``evalsql trec_eval``: takes trec_eval's options and prints its lines."""

from dataclasses import asdict, dataclass
from typing import Any, Literal

import typer
from typer.core import TyperCommand

from evalsql.catalog.measure_names import trec_names
from evalsql.catalog.relations import RELEVANCE_STRING, RUN_ID, read_catalog
from evalsql.cli.declare import Names, argument, command, flag, option
from evalsql.cli.measures_sql import print_page
from evalsql.cli.options import Where
from evalsql.cli.output import note, standard_output
from evalsql.errors import UsageError
from evalsql.report.terminal import for_stream
from evalsql.trec_eval import Options, lines, marked_names

USAGE_EXIT = 1  # trec_eval's; refused files end with 2 and runs without a topic of the judgments with 7


class _Abbreviating(TyperCommand):
    """A command that takes long options cut short, as trec_eval does."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        known = [name for each in self.params for name in each.opts if name.startswith("--")]
        for at, each in enumerate(args):
            name, sign, value = each.partition("=")
            meant = [long for long in known if long.startswith(name)]
            if name.startswith("--") and name not in known and len(meant) == 1:
                args[at] = f"{meant[0]}{sign}{value}"
        return super().parse_args(ctx, args)


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


trec_eval = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@trec_eval.command(cls=_Abbreviating, context_settings={"help_option_names": []})  # its -h is its own
@command
def print_lines(
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
        elif show_help and measure:
            _print_pages(measure)
        elif show_help:
            print(context.get_help())
        else:
            if len(files) != 2:
                raise UsageError(f"expected two files, judgments and run; found {len(files)} (-h shows the options)")
            qrels, run = files
            options = Options(measure or ["official"], summary=not no_summary, **asdict(settings))
            printed = lines(qrels, run, read_catalog(), options, opening=lambda path: Where(db=path).open_file())
            with standard_output() as stream:
                stream.writelines(for_stream(f"{line}\n", stream) for line in printed)
    except UsageError as error:
        error.exit_code = USAGE_EXIT
        raise


def _print_pages(measures: Names) -> None:
    catalog = read_catalog()
    names, (wanted, problems) = trec_names(catalog), marked_names(measures, "10.0")
    if problems:
        raise UsageError("\n".join(problems))
    for name in (RUN_ID, RELEVANCE_STRING):
        if any(text.partition(".")[0] == name for text in measures):
            print(f"{name}: text, no measure; see the tables runs and relstring of a warehouse\n")
    for relation in dict.fromkeys(names[name].relation.name for name in wanted if name in names):
        print_page(catalog, catalog[relation])
        print()
