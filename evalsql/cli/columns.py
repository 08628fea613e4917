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
Queries = Annotated[
    str | None,
    typer.Option(
        "--queries",
        metavar="FILE",
        help="Of --form families the members that were searched for: names, one a line, or FASTA; by default all.",
    ),
]
WithSelf = Annotated[
    bool | None,
    typer.Option(
        "--with-self/--without-self",
        help="Whether a topic's own name counts among its documents; by default not in BLAST's and other tables of "
        "E-values, where a query finds itself.",
    ),
]
QrelsColumns = Annotated[
    str | None,
    typer.Option(metavar="MEANING=NAME,...", help="The same of the judgments, as in document=pid,grade=label."),
]
