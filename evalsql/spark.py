"""``evalsql.spark.evaluate(session, ...)`` evaluates runs on a Spark cluster; it needs the extra ``evalsql[spark]``."""

from evalsql.engines.spark import Outcome, evaluate

__all__ = ["Outcome", "evaluate"]
