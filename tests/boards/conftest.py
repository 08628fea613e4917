"""A warehouse for boards of a test's own."""

from tests.conftest import module_warehouse

warehouse = module_warehouse(lambda _: None)
