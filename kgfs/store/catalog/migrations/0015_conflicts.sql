ALTER TABLE facts ADD COLUMN conflict_id BIGINT;
COMMENT ON COLUMN facts.conflict_id IS 'The entity of which another fact of this type says what cannot be true beside it; NULL where none does. Found again from all facts.';
