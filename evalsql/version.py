"""The version of the package, which warehouses write down."""

__version__ = "0.2.0"
