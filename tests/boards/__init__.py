"""Many systems over many collections."""
