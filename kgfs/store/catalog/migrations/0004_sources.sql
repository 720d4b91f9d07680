-- What refreshing a source needs: what was read from a file and when, which sources an item came from, and what stood at
-- a source's path.

ALTER TABLE context_items ADD COLUMN source_hash VARCHAR;
ALTER TABLE context_items ADD COLUMN source_read_ns BIGINT;
ALTER TABLE context_items ADD COLUMN identity VARCHAR;
COMMENT ON COLUMN context_items.source_hash IS 'Hash of the bytes that were read from its source; where `hash` is another, the row was edited here.';
COMMENT ON COLUMN context_items.source_read_ns IS 'When its source was read, in nanoseconds since 1970, by the clock that file times are taken from.';
COMMENT ON COLUMN context_items.identity IS 'The ref that the ids of its facts are made from: the first one it had; NULL while that is `ref`.';
UPDATE context_items SET source_hash = hash WHERE source_mtime_ns IS NOT NULL;

ALTER TABLE sources ADD COLUMN root VARCHAR;
COMMENT ON COLUMN sources.root IS 'What stood at its path when files were last found there, as JSON: device, inode, whether a directory, and the device of each other file system beneath; tells an empty mountpoint from a folder that was emptied.';

CREATE TABLE source_items (
    source_id BIGINT, item_id BIGINT
);
COMMENT ON TABLE source_items IS 'Which source has which items: an item may come from several that overlap.';
COMMENT ON COLUMN source_items.source_id IS 'The source.';
COMMENT ON COLUMN source_items.item_id IS 'The item that was found in it.';
INSERT INTO source_items SELECT source_id, id FROM context_items WHERE source_id IN (SELECT id FROM sources);
