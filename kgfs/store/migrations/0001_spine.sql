-- Graph rows carry group_id: one group a store for now. Ids are given out by the writer (kgfs.store.catalog), are
-- never used again, and stay below 2^27 so that an inode number can hold two of them. No foreign keys: deleting a
-- child and then its parent in one transaction fails in DuckDB; the catalog keeps the references.

CREATE TABLE meta (key VARCHAR PRIMARY KEY, value VARCHAR);
CREATE TABLE counters (name VARCHAR PRIMARY KEY, next BIGINT);

CREATE TABLE sources (
    id BIGINT PRIMARY KEY, group_id INTEGER, name VARCHAR, drive VARCHAR, path VARCHAR,
    added_at TIMESTAMP, refreshed_at TIMESTAMP, options VARCHAR
);

CREATE TABLE context_items (
    id BIGINT PRIMARY KEY, group_id INTEGER, drive VARCHAR, path VARCHAR, ref VARCHAR UNIQUE,
    title VARCHAR, mime_type VARCHAR, content VARCHAR, content_blob BLOB, is_textual BOOLEAN, size BIGINT,
    hash VARCHAR, mode INTEGER, source_url VARCHAR, source_id BIGINT, source_mtime_ns BIGINT,
    created_at TIMESTAMP, updated_at TIMESTAMP, indexed_at TIMESTAMP,
    want_gen BIGINT, have_gen BIGINT, extracted_gen BIGINT, error VARCHAR, notes VARCHAR
);
CREATE TABLE blocks (item_id BIGINT, ordinal INTEGER, data BLOB);

CREATE TABLE documents (
    id BIGINT PRIMARY KEY, group_id INTEGER, slug VARCHAR, title VARCHAR, date VARCHAR, description VARCHAR,
    summary VARCHAR, text VARCHAR, text_size BIGINT, front_matter VARCHAR, extractor VARCHAR,
    version BIGINT, changed_at TIMESTAMP
);
CREATE TABLE chunks (
    id BIGINT PRIMARY KEY, group_id INTEGER, document_id BIGINT, ordinal INTEGER, text VARCHAR, size INTEGER,
    start BIGINT, first_line INTEGER, last_line INTEGER, headings VARCHAR, page INTEGER, date VARCHAR, tokens INTEGER,
    hash VARCHAR, want_gen BIGINT, have_gen BIGINT, version BIGINT, changed_at TIMESTAMP
);

CREATE TABLE entities (
    id BIGINT PRIMARY KEY, group_id INTEGER, slug VARCHAR, name VARCHAR, type VARCHAR, description VARCHAR,
    attributes VARCHAR, confidence DOUBLE, extractor VARCHAR, declared_by BIGINT, by_person BOOLEAN,
    want_gen BIGINT, have_gen BIGINT, version BIGINT, changed_at TIMESTAMP, created_at TIMESTAMP
);
CREATE TABLE entity_claims (
    group_id INTEGER, entity_id BIGINT, document_id BIGINT, name VARCHAR, type VARCHAR, aliases VARCHAR,
    description VARCHAR, attributes VARCHAR, confidence DOUBLE, declared BOOLEAN
);
CREATE TABLE entity_aliases (group_id INTEGER, entity_id BIGINT, alias VARCHAR, slug VARCHAR, key VARCHAR);
CREATE TABLE entity_chunks (group_id INTEGER, entity_id BIGINT, chunk_id BIGINT, document_id BIGINT, count INTEGER);
CREATE TABLE former_names (group_id INTEGER, kind VARCHAR, directory VARCHAR, slug VARCHAR, target_id BIGINT);
CREATE TABLE merges (
    id BIGINT PRIMARY KEY, group_id INTEGER, kept_id BIGINT, gone_id BIGINT, gone_name VARCHAR, reason VARCHAR,
    at TIMESTAMP
);

CREATE TABLE facts (
    id BIGINT PRIMARY KEY, group_id INTEGER, fact_id VARCHAR, type VARCHAR, subject_id BIGINT, object_id BIGINT,
    object_text VARCHAR, value DOUBLE, unit VARCHAR, indicator VARCHAR, description VARCHAR, date VARCHAR,
    valid_from VARCHAR, valid_to VARCHAR, confidence DOUBLE, extractor VARCHAR, document_id BIGINT, chunk_id BIGINT,
    quote VARCHAR, span_start INTEGER, span_end INTEGER, want_gen BIGINT, have_gen BIGINT, version BIGINT,
    changed_at TIMESTAMP
);

CREATE TABLE topics (
    id BIGINT PRIMARY KEY, group_id INTEGER, slug VARCHAR, name VARCHAR, parent_id BIGINT, definition VARCHAR,
    source VARCHAR, want_gen BIGINT, have_gen BIGINT, version BIGINT, changed_at TIMESTAMP
);
CREATE TABLE chunk_topics (group_id INTEGER, chunk_id BIGINT, topic_id BIGINT, document_id BIGINT);
CREATE TABLE fact_topics (group_id INTEGER, fact_id BIGINT, topic_id BIGINT, document_id BIGINT);
CREATE TABLE document_links (
    group_id INTEGER, document_id BIGINT, target VARCHAR, kind VARCHAR, label VARCHAR, target_id BIGINT
);

CREATE TABLE pages (page_id BIGINT, view VARCHAR, owner_id BIGINT, name VARCHAR, size INTEGER, body BLOB);
CREATE TABLE stale (kind VARCHAR, id BIGINT);
CREATE TABLE removals (kind VARCHAR, id BIGINT);
CREATE TABLE jobs (
    id VARCHAR PRIMARY KEY, command VARCHAR, arguments VARCHAR, state VARCHAR, progress VARCHAR,
    started_at TIMESTAMP, ended_at TIMESTAMP
);
