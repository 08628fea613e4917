"""``evalsql help``: lists the guides, prints one without marks of Markdown, names the nearest to an unknown one."""

from evalsql.cli.app import printed
from tests.conftest import Command, assert_refused
from tests.tools.readme import GUIDES

NAMES = [page.stem for page in GUIDES]


def test_the_guides_are_listed_with_a_line_each(command: Command) -> None:
    listed = command("help")
    assert listed.returncode == 0
    rows = [line.split(maxsplit=1) for line in listed.stdout.splitlines() if line.startswith(" ")]
    assert sorted(rows) == [[page.stem, page.read_text(encoding="utf-8").splitlines()[0][2:]] for page in GUIDES]
    assert len(rows) >= 10
    assert "evalsql help TOPIC" in listed.stderr


def test_a_guide_is_printed_without_the_marks_of_markdown(command: Command) -> None:
    for page in GUIDES:
        text = page.read_text(encoding="utf-8")
        shown = command("help", page.stem)
        assert (shown.returncode, shown.stderr) == (0, "")
        assert shown.stdout.startswith(f"{text.splitlines()[0][2:]}\n\n")
        for line in shown.stdout.splitlines():
            # Code stands as it is; it is indented.
            assert line.startswith("    ") or not line.startswith(("```", "#", "|")), line
            assert line.startswith("    ") or len(line) <= 100, line
        if page.stem == "ties":  # every letter of it is printed
            words = text.replace("```sh", "").replace("```text", "")
            assert sorted(filter(str.isalnum, shown.stdout)) == sorted(filter(str.isalnum, words))


def test_an_unknown_topic_gets_the_nearest_names(command: Command) -> None:
    for topic, words in (("tie", ["nearest: ties"]), ("xyzzy", NAMES), ("leaderboard", ["evalsql leaderboard --help"])):
        assert_refused(command("help", topic), *words)
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
