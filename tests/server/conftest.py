"""Servers and clients find no extension but those of the extra [server]."""

from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True, scope="package")
def extensions_of_nobody(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """DuckDB takes an extension that lies in the user's home folder wherever it wants one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
        yield
