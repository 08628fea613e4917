"""``evalsql help``: lists the guides, prints one without marks of Markdown, names the nearest to an unknown one."""

from __future__ import annotations

import pytest

from evalsql.cli.guides import printed
from tests.conftest import Command
from tests.tools.readme import GUIDES

NAMES = [page.stem for page in GUIDES]


def test_the_guides_are_listed_with_a_line_each(command: Command) -> None:
    listed = command("help")
    assert listed.returncode == 0
    rows = [line.split(maxsplit=1) for line in listed.stdout.splitlines()]
    assert rows == [[page.stem, page.read_text(encoding="utf-8").splitlines()[0][2:]] for page in GUIDES]
    assert len(rows) >= 10
    assert "evalsql help TOPIC" in listed.stderr


@pytest.mark.parametrize("name", NAMES)
def test_a_guide_is_printed_without_the_marks_of_markdown(command: Command, name: str) -> None:
    shown = command("help", name)
    assert (shown.returncode, shown.stderr) == (0, "")
    title = next(page for page in GUIDES if page.stem == name).read_text(encoding="utf-8").splitlines()[0][2:]
    assert shown.stdout.startswith(f"{title}\n\n")
    for line in shown.stdout.splitlines():
        # Code stands as it is; it is indented.
        assert line.startswith("    ") or not line.startswith(("```", "#", "|")), line
        assert line.startswith("    ") or len(line) <= 100, line


def test_every_word_of_a_guide_is_printed(command: Command) -> None:
    page = next(page for page in GUIDES if page.stem == "ties")
    there, here = (
        "".join(char for char in text if char.isalnum())
        for text in (page.read_text(encoding="utf-8").replace("```sh", "").replace("```text", ""), "")
    )
    here = "".join(char for char in command("help", "ties").stdout if char.isalnum())
    assert sorted(here) == sorted(there)


def test_an_unknown_topic_gets_the_nearest_names(command: Command) -> None:
    asked = command("help", "tie")
    assert (asked.returncode, asked.stdout) == (2, "")
    assert "nearest: ties" in asked.stderr
    asked = command("help", "xyzzy")
    assert asked.returncode == 2
    assert all(name in asked.stderr for name in NAMES)


def test_a_command_is_told_from_a_guide(command: Command) -> None:
    asked = command("help", "leaderboard")
    assert asked.returncode == 2
    assert "evalsql leaderboard --help" in asked.stderr
    assert command("help", "TIES.md").returncode == 0


def test_each_kind_of_block_is_printed() -> None:
    guide = (
        "# A title\n\nA [link](x.md) and **bold**,\nand `code`.\n\n- one\n  more\n- two\n\n<!-- not shown -->\n\n"
        f"| a | b |\n|---|--:|\n| `p\\|q` | 1 |\n\n```sh\nrun  {'it ' * 40}\n```\n\nEnd.\n"
    )
    lines = [line.strip() for line in printed(guide).splitlines() if line.strip()]
    assert lines[:4] == ["A title", "A link and bold, and code.", "• one more", "• two"]
    assert (lines[4].split(), set(lines[5]), lines[6].split()) == (["a", "b"], {"─"}, ["p|q", "1"])
    assert lines[7:] == [f"run  {'it ' * 40}".strip(), "End."]
    assert f"\n    run  {'it ' * 40}".rstrip() in printed(guide)


def test_a_wide_table_is_wrapped_within_its_columns() -> None:
    table = f"| name | what |\n|---|---|\n| x | {'word ' * 40}|\n| y | short |\n"
    lines = printed(table).splitlines()
    assert max(map(len, lines)) <= 100
    assert [line.split()[0] for line in lines if line.strip()] == ["name", lines[1].strip(), "x", "word", "word", "y"]
