"""What reports, charts and tables refuse: in which words, and that nothing is written then."""

from pathlib import Path

import pytest

from tests.conftest import Command, assert_refused, write
from tests.long_cases import one_in, refusals
from tests.report.test_paper_file import PAPER


@pytest.mark.parametrize(("asked", "complaint"), one_in(4, refusals(__file__, "command")))
def test_what_does_not_fit_is_refused(demo: Command, tmp_path: Path, asked: str, complaint: str) -> None:
    paper = write(tmp_path / "paper.toml", PAPER)
    assert_refused(demo(*asked.split()), complaint)
    assert list(tmp_path.iterdir()) == [paper]


@pytest.mark.parametrize(("text", "complaints"), refusals(__file__, "paper"))
def test_what_is_wrong_in_a_file_has_its_line_and_key(
    demo: Command, tmp_path: Path, text: str, complaints: str
) -> None:
    paper = write(tmp_path / "paper.toml", text)
    done = demo("table", "paper.toml", "-o", "table.tex")
    assert_refused(done)
    for line, complaint in zip(done.stderr.splitlines(), complaints.split(" | "), strict=True):
        assert complaint in line
    assert list(tmp_path.iterdir()) == [paper]
