"""The part of a page that a program writes: what stands between ``<!-- name: begin -->`` and ``<!-- name: end -->``."""

from pathlib import Path


class MarkersError(Exception):
    """The two markers are not in the text, once each and in their order."""


def replaced(text: str, name: str, new: str) -> str:
    """``text`` with ``new`` between the two markers, and nothing else changed.

    Raises:
        MarkersError: there are not just these two.
    """
    markers = begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    before, _, rest = text.partition(begin)
    _, _, after = rest.partition(end)
    if any(text.count(marker) != 1 for marker in markers) or end in before:
        raise MarkersError(f"needs the lines {begin} and {end}, once each, with the section between them")
    return f"{before}{begin}\n\n{new.strip()}\n\n{end}{after}"


def part(text: str, name: str) -> str:
    """What stands between the two markers."""
    return text.partition(f"<!-- {name}: begin -->")[2].partition(f"<!-- {name}: end -->")[0]


def write_part(page: Path, name: str, new: str) -> None:
    page.write_text(replaced(page.read_text(encoding="utf-8"), name, new), encoding="utf-8")
