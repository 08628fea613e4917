"""What sql/ says, and how it is read."""
