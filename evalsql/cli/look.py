"""How charts look: size, title, and how many systems they draw."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from evalsql.report.charts import Look
from evalsql.report.drawing import MOST_LINES, styles
from evalsql.warehouse.warehouse import Warehouse


@dataclass(frozen=True)
class LookOptions:
    """What every chart takes."""

    width: Annotated[
        int | None, typer.Option("--width", min=50, max=20_000, metavar="PIXELS", help="Width of the chart.")
    ] = None
    height: Annotated[
        int | None, typer.Option("--height", min=50, max=20_000, metavar="PIXELS", help="Height of the chart.")
    ] = None
    title: Annotated[
        str | None, typer.Option("--title", metavar="TEXT", help='What stands above the chart; "" is nothing.')
    ] = None
    lines: Annotated[
        int | None,
        typer.Option(
            "--lines",
            min=1,
            metavar="N",
            help=f"Draw so many systems at most, the best ones; by default {MOST_LINES} where each is a line, or all "
            "that are named one by one.",
        ),
    ] = None

    def appearance(self, warehouse: Warehouse) -> Look:
        """The look of a chart of this warehouse."""
        return Look(self.width, self.height, self.title, styles(warehouse))
