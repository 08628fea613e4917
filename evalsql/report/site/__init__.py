"""A site of a warehouse: a folder of pages that any static host serves, with a console that asks a copy of it."""
