"""README, package and benchmark."""
