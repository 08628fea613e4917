"""What ``sql/`` says: relations and their headers, the names of measures, the statements that create them.

It knows no database, and can be used where DuckDB is not installed.
"""
