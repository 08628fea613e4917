"""The examples of the README and of the SQL's: found, run, and written anew with ``python -m tests.readme``.

A block ``sql`` is asked of the demonstration's warehouse, a block ``python`` is run; the block ``text`` that
follows is what they print.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
README, SQL_README = PAGES = (ROOT / "README.md", ROOT / "sql" / "README.md")
_EXAMPLE = re.compile(r"```(?P<kind>sql|python)\n(?P<code>.*?)```\n\n```text\n(?P<output>.*?)```", re.DOTALL)


def examples(text: str) -> Iterator[re.Match[str]]:
    return _EXAMPLE.finditer(text)


def printed(kind: str, code: str, folder: Path) -> str:
    """What an example prints, run in a folder where the demonstration has been."""
    command = ["-m", "evalsql", "sql", "-", "--db", "evalsql-demo.duckdb"] if kind == "sql" else ["-"]
    outcome = subprocess.run([sys.executable, *command], input=code, cwd=folder, capture_output=True, text=True)
    if outcome.returncode:
        raise RuntimeError(outcome.stderr)
    return outcome.stdout


def demonstrate(folder: Path) -> None:
    subprocess.run([sys.executable, "-m", "evalsql", "demo"], cwd=folder, check=True, capture_output=True)


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        demonstrate(Path(name))
        for page in PAGES:
            text = page.read_text(encoding="utf-8")
            for example in list(examples(text))[::-1]:
                output = printed(example["kind"], example["code"], Path(name))
                text = text[: example.start("output")] + output + text[example.end("output") :]
            page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
