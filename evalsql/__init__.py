"""evalsql: an evaluation warehouse for information retrieval. ``evalsql.open(path)`` is where to start."""

from evalsql.version import __version__

TYPE_CHECKING = False  # as in typing, whose import takes longer than all else here
if TYPE_CHECKING:
    from evalsql.errors import (
        AuditError,
        CatalogError,
        EvalsqlError,
        InputError,
        InputWarning,
        Problem,
        QueryError,
        UsageError,
        WarehouseError,
    )
    from evalsql.experiments import evaluate, experiment
    from evalsql.notebook import NotebookWarehouse as Warehouse
    from evalsql.notebook import open
    from evalsql.warehouse.archive import import_warehouse
    from evalsql.warehouse.evaluator import Evaluator

__all__ = [
    "AuditError",
    "CatalogError",
    "EvalsqlError",
    "Evaluator",
    "InputError",
    "InputWarning",
    "Problem",
    "QueryError",
    "UsageError",
    "Warehouse",
    "WarehouseError",
    "__version__",
    "evaluate",
    "experiment",
    "import_warehouse",
    "open",
]

# Each is imported when it is first used, as one part of the package needs neither all others nor DuckDB. This module
# imports next to nothing itself because the command cannot handle Ctrl-C before it is imported.
_HOMES = {
    "Evaluator": "evalsql.warehouse.evaluator",
    "Warehouse": "evalsql.notebook",
    "evaluate": "evalsql.experiments",
    "experiment": "evalsql.experiments",
    "import_warehouse": "evalsql.warehouse.archive",
    "open": "evalsql.notebook",
}
_ERRORS = "evalsql.errors"


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    home = import_module(_HOMES.get(name, _ERRORS))
    value = getattr(home, "NotebookWarehouse" if name == "Warehouse" else name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
