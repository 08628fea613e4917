"""Programs that measure the house or write its pages."""
