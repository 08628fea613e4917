"""Files' names of pages: safe on every system, one for each name, whatever else there is."""

import re
from urllib.parse import unquote

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from evalsql.report.site.site_parts import file_names, query_address

_SAFE = re.compile(r"[a-z0-9]([a-z0-9._-]{0,108}[a-z0-9])?")
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?")
TROUBLE = ["..", ".", "-", " ", "a/../../b", "CON", "con", "con.txt", "index", "BM25", "bm25", "x" * 300, "a\0b"]
TROUBLE += ["é", "E\u0301"]


@settings(deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@example(TROUBLE)
@given(st.lists(st.text(min_size=1, max_size=90), unique=True, max_size=10))
def test_every_name_has_a_safe_address_of_its_own(names: list[str]) -> None:
    found = file_names(names)
    files = [found[name] for name in names]
    assert len(set(files)) == len(names)
    assert all(_SAFE.fullmatch(file) and not _RESERVED.fullmatch(file) for file in files)
    assert "index" not in files
    assert found.get("bm25", "bm25") == "bm25"


def test_an_address_does_not_depend_on_others() -> None:
    alone = file_names(["Run A"])["Run A"]
    assert file_names(["run-a", "Run A", "RUN A"])["Run A"] == alone
    # A name that looks like the address of another gets a digest of its own.
    taken = file_names(["Run A", alone])
    assert taken["Run A"] == alone
    assert taken[alone] != alone


def test_a_query_is_whole_in_its_address() -> None:
    asked = "select '#&%+ü' as \"a b\"\nfrom ap"
    address, _, query = query_address(asked).partition("#q=")
    assert address == "sql.html"
    assert unquote(query) == asked
