"""The catalog's file (DuckDB): opening, transactions, the schema, its log, copies and what can be saved of damage."""
