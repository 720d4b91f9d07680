"""Records: what a document says in rows, mappings, cards and ``Key: value`` lines, as names with fields.

The face of the package is ``document_records``. Everything is read from the text that is stored, so that nothing but
the names is kept in rows: extraction reads the records again, with their places. Pure.
"""
