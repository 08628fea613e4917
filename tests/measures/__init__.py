"""The values of measures."""
