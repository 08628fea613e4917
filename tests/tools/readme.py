"""The examples of README, guides and the SQL's page: found, run, and written anew by ``python -m tests.tools.readme``.

Every block ``sh`` or ``python`` is run, every block ``sql`` with a block ``text`` behind it is asked of the
demonstration's warehouse; the block ``text`` is what they print. Each runs in a folder of its own, where the
demonstration's warehouse is ``evalsql.duckdb`` and its files are ``qrels.txt`` and ``runs/*.run``.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.tools.forked import put_command, serving

ROOT = Path(__file__).resolve().parent.parent.parent
README, SQL_README = ROOT / "README.md", ROOT / "sql" / "README.md"
GUIDES = tuple(sorted((ROOT / "evalsql" / "docs").glob("*.md")))
PAGES = (README, SQL_README, *GUIDES)
_BLOCK = re.compile(r"^```(?P<kind>\w*)\n(?P<code>.*?)^```$", re.DOTALL | re.MULTILINE)
_PRINTED = re.compile(r"\n\n```text\n(?P<output>.*?)^```$", re.DOTALL | re.MULTILINE)


class Example(NamedTuple):
    """Something to run, what the page says it prints, if it does, and where that stands."""

    kind: str
    code: str
    output: str | None
    span: tuple[int, int]


def examples(text: str) -> Iterator[Example]:
    for block in _BLOCK.finditer(text):
        printed_below = _PRINTED.match(text, block.end())
        if block["kind"] in ("sh", "python") or (block["kind"] == "sql" and printed_below):
            output, span = (printed_below["output"], printed_below.span("output")) if printed_below else (None, (0, 0))
            yield Example(block["kind"], block["code"], output, span)


def printed(kind: str, code: str, folder: Path) -> str:
    """What an example prints to standard output, run in a copy of the folder of the demonstration."""
    environment = {key: value for key, value in os.environ.items() if key != "EVALSQL_DB"}
    with tempfile.TemporaryDirectory() as name:
        shutil.copytree(folder, name, dirs_exist_ok=True)
        commands = {
            "sql": ["bin/evalsql", "sql", "-"],
            "python": [sys.executable, "-"],
            "sh": ["bash", "-euo", "pipefail", "-c", code],
        }
        outcome = subprocess.run(
            commands[kind],
            input="" if kind == "sh" else code,
            cwd=name,
            env=environment | {"PATH": f"{name}/bin{os.pathsep}{environment['PATH']}"},
            capture_output=True,
            text=True,
        )
    if outcome.returncode:
        raise RuntimeError(f"{code}\nended with {outcome.returncode}:\n{outcome.stderr}")
    return outcome.stdout


def demonstrate(folder: Path, address: str) -> None:
    """Have what the guides' examples start from, and the command itself, in a folder; ``forked`` listens there."""
    subprocess.run([sys.executable, "-m", "evalsql", "demo"], cwd=folder, check=True, capture_output=True)
    shutil.copy(folder / "evalsql-demo.duckdb", folder / "evalsql.duckdb")
    shutil.copytree(ROOT / "evalsql" / "sample", folder, dirs_exist_ok=True)
    (folder / "bin").mkdir()
    put_command(folder / "bin" / "evalsql", address)


def main() -> None:
    with tempfile.TemporaryDirectory() as name, serving() as address:
        demonstrate(Path(name), address)
        for page in PAGES:
            print(page.relative_to(ROOT), flush=True)
            text = page.read_text(encoding="utf-8")
            for example in list(examples(text))[::-1]:
                output = printed(example.kind, example.code, Path(name))
                if example.output is not None:
                    start, end = example.span
                    text = text[:start] + output + text[end:]
            page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
