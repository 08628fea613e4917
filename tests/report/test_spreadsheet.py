"""Rows for a spreadsheet, in which no name is a formula, whatever divides the text into cells."""

import csv
import io
import re
from pathlib import Path

from evalsql.literals import literal
from tests.conftest import Command, new_file


def test_a_spreadsheet_is_given_no_formulas(command: Command, tmp_path: Path) -> None:
    text = ["=1+2", "=5", "+cmd", "-2+3", "@sum", " =x", "-", "-3.5", "+7", "a=b", "", "'"]
    values = ", ".join(literal(each) for each in text)
    query = f"""select unnest([{values}]) as "=c", -1 as n"""
    outcome = command("sql", query, "--format", "spreadsheet", "--db", new_file(tmp_path))
    (head, *rows) = csv.reader(io.StringIO(outcome.stdout, newline=""))
    assert head == ["'=c", "n"]
    assert rows == [[f"'{each}" if at < 7 else each, "-1"] for at, each in enumerate(text)]


def test_no_text_for_a_spreadsheet_is_divided_into_a_formula(command: Command, tmp_path: Path) -> None:
    """LibreOffice takes semicolons and tabs for ends of cells too, and Excel what the system's language has."""
    text = ["x;=1+2", "x\t=1+2;y", "\uff1d1+2", "\t=1+2", "x;=1+2;y", "x\n=1+2\ny", "x; -2+3;y", "x;-2"]
    query = f"select unnest([{', '.join(map(literal, text))}]) as name"
    outcome = command("sql", query, "--format", "spreadsheet", "--db", new_file(tmp_path))
    assert outcome.stdout.startswith('"name"\n"x;\'=1+2"\n"x\t\'=1+2;y"\n"\'\uff1d1+2"\n"\'\t\'=1+2"\n')
    for columns in ("name, name as again", "'a' as first, name", "'a' as first, {'b': name} as name, [name] as again"):
        asked = f"select {columns} from ({query})"
        again = command("sql", asked, "--format", "spreadsheet", "--db", new_file(tmp_path))
        for sign in ",;\t":  # quotes hold a text together at the beginning of a line, or behind the right sign
            rows = csv.reader(io.StringIO(again.stdout, newline=""), delimiter=sign)
            assert not [cell for row in rows for cell in row if re.match(r"\s*[=\uff1d]|\s*-2\+", cell)], again.stdout
