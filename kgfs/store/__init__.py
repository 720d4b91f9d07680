"""The catalog (DuckDB) and the search index (LanceDB): the only importer of either. Rows in, rows out."""
