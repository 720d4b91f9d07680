-- What writing needs: attributes that the writer sets, versions of what was written over, and what still follows from a
-- change: chunks to make anew, documents to take away. Directories are rows of type inode/directory, with no body and
-- all generations 0.

ALTER TABLE context_items ADD COLUMN parsed_gen BIGINT;
ALTER TABLE context_items ADD COLUMN mtime_us BIGINT;
ALTER TABLE context_items ADD COLUMN atime_us BIGINT;
ALTER TABLE context_items ADD COLUMN xattrs VARCHAR;
UPDATE context_items SET parsed_gen = want_gen;
COMMENT ON COLUMN context_items.parsed_gen IS 'Generation of the body that document and chunks were made from.';
COMMENT ON COLUMN context_items.mtime_us IS 'Last write, microseconds since 1970, where it was written here or set; NULL where its source says it.';
COMMENT ON COLUMN context_items.atime_us IS 'Last access as somebody set it, microseconds since 1970; NULL where nobody did.';
COMMENT ON COLUMN context_items.xattrs IS 'Extended attributes of the user, a JSON object of name to base64; NULL where there are none.';

CREATE TABLE removed_items (
    item_id BIGINT, ref VARCHAR, want_gen BIGINT, removed_at TIMESTAMP
);
COMMENT ON TABLE removed_items IS 'Items whose row is gone and whose document, chunks and claims have yet to go. A file written at the same ref before that takes the id over.';
COMMENT ON COLUMN removed_items.item_id IS 'Id of the item.';
COMMENT ON COLUMN removed_items.ref IS 'The ref it had.';
COMMENT ON COLUMN removed_items.want_gen IS 'Its last generation.';
COMMENT ON COLUMN removed_items.removed_at IS 'When the row went, UTC.';

CREATE TABLE item_versions (
    id BIGINT PRIMARY KEY, ref VARCHAR, number BIGINT, item_id BIGINT, mime_type VARCHAR, content VARCHAR,
    content_blob BLOB, is_textual BOOLEAN, size BIGINT, hash VARCHAR, mode INTEGER, mtime_us BIGINT,
    replaced_at TIMESTAMP
);
COMMENT ON TABLE item_versions IS 'What a file held before it was written over or removed; under its ref, so that history survives a removal.';
COMMENT ON COLUMN item_versions.id IS 'Row id, of the counter of items: bodies above 1 MiB lie in blocks under it.';
COMMENT ON COLUMN item_versions.ref IS 'drive:path of the file; a move takes its versions along.';
COMMENT ON COLUMN item_versions.number IS 'Which version of this ref, from 1, rising.';
COMMENT ON COLUMN item_versions.item_id IS 'The item that held it.';
COMMENT ON COLUMN item_versions.mime_type IS 'Its media type.';
COMMENT ON COLUMN item_versions.content IS 'The body, where it is text and at most 1 MiB.';
COMMENT ON COLUMN item_versions.content_blob IS 'The body, where it is no text and at most 1 MiB.';
COMMENT ON COLUMN item_versions.is_textual IS 'Whether the body is text: UTF-8 without NUL.';
COMMENT ON COLUMN item_versions.size IS 'Length of the body in bytes.';
COMMENT ON COLUMN item_versions.hash IS 'xxh3-128 of the body, hexadecimal.';
COMMENT ON COLUMN item_versions.mode IS 'Permission bits.';
COMMENT ON COLUMN item_versions.mtime_us IS 'When it had been written, microseconds since 1970.';
COMMENT ON COLUMN item_versions.replaced_at IS 'When something else took its place, UTC.';
