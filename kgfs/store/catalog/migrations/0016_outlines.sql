-- All headings of a document: those of passages are only the path above each.

ALTER TABLE documents ADD COLUMN outline VARCHAR;
COMMENT ON COLUMN documents.outline IS 'Its headings in order, a JSON list of level, title and line; NULL where it was parsed before there was this column.';
