"""From base tables to values: measures, comparisons, curves, ties, explanations, and what to tell about them."""
