"""The options that say which columns of a table are meant."""

from __future__ import annotations

from typing import Annotated

import typer

Columns = Annotated[
    str | None,
    typer.Option(
        "--columns",
        metavar="MEANING=NAME,...",
        help="Which columns of a file with a header are meant, as in topic=qid,document=docno,score=sim.",
    ),
]
QrelsColumns = Annotated[
    str | None,
    typer.Option(metavar="MEANING=NAME,...", help="The same of the judgments, as in document=pid,grade=label."),
]
