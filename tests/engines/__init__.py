"""The same measures on other engines."""
