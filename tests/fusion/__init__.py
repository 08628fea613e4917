"""Tests of what sql/fusion holds, and of what the warehouse makes of it."""
