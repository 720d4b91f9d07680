"""The search index (LanceDB): terms and vectors. It knows no catalog, so that the worker has it alone."""
