"""Input files: where they come from, what each is, and its rows."""
