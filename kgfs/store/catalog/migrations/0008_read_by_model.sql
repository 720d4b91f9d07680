-- What reading with a language model leaves with a document.

ALTER TABLE documents ADD COLUMN pages VARCHAR;
ALTER TABLE documents ADD COLUMN chunker VARCHAR DEFAULT 'structural';
ALTER TABLE documents ADD COLUMN chunker_asked VARCHAR;
ALTER TABLE documents ADD COLUMN reading VARCHAR;
COMMENT ON COLUMN documents.pages IS 'Where its pages begin, in characters of the text, a JSON list; NULL where it has none.';
COMMENT ON COLUMN documents.chunker IS 'What cut it into chunks: llm or structural, behind that in brackets why a model''s proposal was not used.';
COMMENT ON COLUMN documents.chunker_asked IS 'Model and prompt version that were asked for its chunks; NULL if none.';
COMMENT ON COLUMN documents.reading IS 'What a language model''s reading came to, JSON: summary; dropped (what it said and the text does not, counted by reason); failure (why it could not read it). NULL if none read it.';

-- The page of a document's metadata says what cut it.
INSERT INTO stale SELECT 'document', id FROM documents;
