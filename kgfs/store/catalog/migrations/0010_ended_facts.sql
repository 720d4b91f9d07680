ALTER TABLE facts ADD COLUMN ended VARCHAR;
COMMENT ON COLUMN facts.ended IS 'Since when a newer fact contradicts it, ISO: until when it holds where no text says so. Found again from all facts.';
