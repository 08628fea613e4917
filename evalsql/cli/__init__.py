"""The command line. Standard output carries data only; everything else goes to standard error."""

import sys
import warnings

from evalsql.errors import EvalsqlError, WarehouseError


def tell(message: object) -> None:
    from evalsql.cli.output import broken

    print(broken(f"evalsql: {message}"), file=sys.stderr)


def _note(message: object) -> None:
    from evalsql.cli.output import note

    note(f"evalsql: {message}")


def main() -> None:
    """Run the command line and exit: 0 done, 1 a check said no, 2 wrong usage or refused input, 3 no database."""
    warnings.showwarning = lambda message, *_: _note(message)
    try:
        from evalsql.cli.app import app

        app(prog_name="evalsql")
    except EvalsqlError as error:
        tell(error)
        sys.exit(error.exit_code)
    except OSError as error:
        from evalsql.database.disk import is_full

        tell(error)
        sys.exit(WarehouseError.exit_code if is_full(error) else EvalsqlError.exit_code)
    except KeyboardInterrupt:
        sys.exit(130)
