-- What a document says of its own subject, found when it is parsed: the sentence that says what it is, and the terms
-- that it defines. Documents that are older are read by their description until they are parsed again.

ALTER TABLE documents ADD COLUMN lead VARCHAR;
COMMENT ON COLUMN documents.lead IS 'The first sentence of its running text; NULL where it was parsed before there was this column.';
ALTER TABLE documents ADD COLUMN terms VARCHAR DEFAULT '[]';
COMMENT ON COLUMN documents.terms IS 'What it defines, a JSON list of name and definition.';
