"""evalsql: an evaluation warehouse for information retrieval. ``evalsql.open(path)`` is where to start."""

from __future__ import annotations

from evalsql.errors import (
    CatalogError,
    EvalsqlError,
    InputError,
    InputWarning,
    Problem,
    QueryError,
    UsageError,
    WarehouseError,
)
from evalsql.evaluator import Evaluator, evaluate
from evalsql.opening import open
from evalsql.warehouse import Warehouse

__all__ = [
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
    "open",
]

__version__ = "0.1.0"
