-- Graph rows carry group_id: one group a store for now. Ids are given out by the writer (Database.ids), are never
-- used again, and stay below 2^27 so that an inode number can hold two of them. No foreign keys: deleting a child and
-- then its parent in one transaction fails in DuckDB; kgfs.store keeps the references.


CREATE TABLE meta (
    key VARCHAR PRIMARY KEY, value VARCHAR
);
COMMENT ON TABLE meta IS 'Facts about the store itself, one row a fact.';
COMMENT ON COLUMN meta.key IS '`schema_version`, `store_id`, `created_at`, `generation` (what is published), `gazetteer` (the names declared when documents were last read).';
COMMENT ON COLUMN meta.value IS 'The value, as text.';

CREATE TABLE counters (
    name VARCHAR PRIMARY KEY, next BIGINT
);
COMMENT ON TABLE counters IS 'The next free id of each kind; an id is never given out twice.';
COMMENT ON COLUMN counters.name IS 'What is counted: item, chunk, entity, fact, topic, source, merge, page, job.';
COMMENT ON COLUMN counters.next IS 'The id that is given out next; below 2^27 for what has an inode number.';

CREATE TABLE sources (
    id BIGINT PRIMARY KEY, group_id INTEGER, name VARCHAR, drive VARCHAR, path VARCHAR, added_at TIMESTAMP,
    refreshed_at TIMESTAMP, options VARCHAR
);
COMMENT ON TABLE sources IS 'One row a folder or file that was added.';
COMMENT ON COLUMN sources.id IS 'Row id.';
COMMENT ON COLUMN sources.group_id IS 'The graph it belongs to; 1 for now.';
COMMENT ON COLUMN sources.name IS 'Its name under sources/, unique.';
COMMENT ON COLUMN sources.drive IS 'The drive of its items: disk, url, …';
COMMENT ON COLUMN sources.path IS 'Its path on the drive.';
COMMENT ON COLUMN sources.added_at IS 'When it was first added, UTC.';
COMMENT ON COLUMN sources.refreshed_at IS 'When it was last read, UTC.';
COMMENT ON COLUMN sources.options IS 'How it was added, as JSON: exclude, hidden, ….';

CREATE TABLE context_items (
    id BIGINT PRIMARY KEY, group_id INTEGER, drive VARCHAR, path VARCHAR, ref VARCHAR UNIQUE, title VARCHAR,
    mime_type VARCHAR, content VARCHAR, content_blob BLOB, is_textual BOOLEAN, size BIGINT, hash VARCHAR,
    mode INTEGER, source_url VARCHAR, source_id BIGINT, source_mtime_ns BIGINT, created_at TIMESTAMP,
    updated_at TIMESTAMP, indexed_at TIMESTAMP, want_gen BIGINT, have_gen BIGINT, extracted_gen BIGINT,
    error VARCHAR, notes VARCHAR
);
COMMENT ON TABLE context_items IS 'One row a stored file: what everything else comes from.';
COMMENT ON COLUMN context_items.id IS 'Row id; the document made of it has the same id.';
COMMENT ON COLUMN context_items.group_id IS 'The graph it belongs to.';
COMMENT ON COLUMN context_items.drive IS 'Where it comes from: disk, agent, url, ….';
COMMENT ON COLUMN context_items.path IS 'Its path on the drive, absolute; bytes that are not UTF-8 percent-escaped.';
COMMENT ON COLUMN context_items.ref IS 'drive:path, the unique key and display form.';
COMMENT ON COLUMN context_items.title IS 'Its title, or its name.';
COMMENT ON COLUMN context_items.mime_type IS 'Its media type.';
COMMENT ON COLUMN context_items.content IS 'The body, where it is text and at most 1 MiB.';
COMMENT ON COLUMN context_items.content_blob IS 'The body, where it is no text and at most 1 MiB.';
COMMENT ON COLUMN context_items.is_textual IS 'Whether the body is text: UTF-8 without NUL.';
COMMENT ON COLUMN context_items.size IS 'Length of the body in bytes.';
COMMENT ON COLUMN context_items.hash IS 'xxh3-128 of the body, hexadecimal.';
COMMENT ON COLUMN context_items.mode IS 'Permission bits of the creator or of the source.';
COMMENT ON COLUMN context_items.source_url IS 'Where it can be looked at on its origin.';
COMMENT ON COLUMN context_items.source_id IS 'The source that brought it.';
COMMENT ON COLUMN context_items.source_mtime_ns IS 'Last write at its origin, nanoseconds since 1970.';
COMMENT ON COLUMN context_items.created_at IS 'When the row was made, UTC.';
COMMENT ON COLUMN context_items.updated_at IS 'When the body last changed, UTC.';
COMMENT ON COLUMN context_items.indexed_at IS 'When its text last reached the keyword index, UTC.';
COMMENT ON COLUMN context_items.want_gen IS 'Generation of the body: raised by each change.';
COMMENT ON COLUMN context_items.have_gen IS 'Generation whose chunks are in the keyword index.';
COMMENT ON COLUMN context_items.extracted_gen IS 'Generation that the extractor has read.';
COMMENT ON COLUMN context_items.error IS 'Why it could not be read as a document, one sentence; NULL where it could.';
COMMENT ON COLUMN context_items.notes IS 'What was odd in it, a JSON list of sentences.';

CREATE TABLE blocks (
    -- Compressed, reading one block would mean to decompress all that lie beside it: 75 ms in place of one.
    item_id BIGINT, ordinal INTEGER, data BLOB USING COMPRESSION uncompressed
);
COMMENT ON TABLE blocks IS 'Bodies above 1 MiB, in blocks of 1 MiB.';
COMMENT ON COLUMN blocks.item_id IS 'The item.';
COMMENT ON COLUMN blocks.ordinal IS 'Which block, from 0.';
COMMENT ON COLUMN blocks.data IS 'Its bytes; only the last block is shorter than 1 MiB.';

CREATE TABLE documents (
    id BIGINT PRIMARY KEY, group_id INTEGER, slug VARCHAR, slug_key VARCHAR, title VARCHAR, date VARCHAR,
    description VARCHAR, summary VARCHAR, text VARCHAR, text_size BIGINT, text_is_content BOOLEAN,
    front_matter VARCHAR, tags VARCHAR, extractor VARCHAR, version BIGINT, changed_at TIMESTAMP
);
COMMENT ON TABLE documents IS 'The text of an item with its structure; same id as the item.';
COMMENT ON COLUMN documents.id IS 'The item''s id.';
COMMENT ON COLUMN documents.group_id IS 'The graph it belongs to.';
COMMENT ON COLUMN documents.slug IS 'Its name under documents/, unique, made once.';
COMMENT ON COLUMN documents.slug_key IS 'The slug, case-folded: what makes two slugs equal.';
COMMENT ON COLUMN documents.title IS 'Title.';
COMMENT ON COLUMN documents.date IS 'Its date, ISO; the length is the precision; NULL if unknown.';
COMMENT ON COLUMN documents.description IS 'One or two sentences about it.';
COMMENT ON COLUMN documents.summary IS 'A short summary.';
COMMENT ON COLUMN documents.text IS 'Its text, where that is not the item''s body itself; else NULL.';
COMMENT ON COLUMN documents.text_size IS 'Length of its text in bytes of UTF-8.';
COMMENT ON COLUMN documents.text_is_content IS 'Whether the item''s body is the text.';
COMMENT ON COLUMN documents.front_matter IS 'Its front matter, JSON.';
COMMENT ON COLUMN documents.tags IS 'Its tags, a JSON list.';
COMMENT ON COLUMN documents.extractor IS 'What read the graph out of it; NULL before.';
COMMENT ON COLUMN documents.version IS 'Raised by each change of this row or its chunks.';
COMMENT ON COLUMN documents.changed_at IS 'When that was, UTC.';

CREATE TABLE chunks (
    id BIGINT PRIMARY KEY, group_id INTEGER, document_id BIGINT, ordinal INTEGER, text VARCHAR, size INTEGER,
    start BIGINT, first_line INTEGER, last_line INTEGER, headings VARCHAR, page INTEGER, date VARCHAR,
    tokens INTEGER, hash VARCHAR, want_gen BIGINT, have_gen BIGINT, version BIGINT, changed_at TIMESTAMP
);
COMMENT ON TABLE chunks IS 'Passages; their texts in order, joined, are the document''s text. A passage is never rewritten: another text is another id.';
COMMENT ON COLUMN chunks.id IS 'Row id.';
COMMENT ON COLUMN chunks.group_id IS 'The graph it belongs to.';
COMMENT ON COLUMN chunks.document_id IS 'Its document.';
COMMENT ON COLUMN chunks.ordinal IS 'Its place in the document, from 1.';
COMMENT ON COLUMN chunks.text IS 'The passage.';
COMMENT ON COLUMN chunks.size IS 'Its length in bytes of UTF-8.';
COMMENT ON COLUMN chunks.start IS 'Byte offset in the document''s text.';
COMMENT ON COLUMN chunks.first_line IS 'First line, from 1.';
COMMENT ON COLUMN chunks.last_line IS 'Last line, inclusive.';
COMMENT ON COLUMN chunks.headings IS 'Heading path, outermost first, a JSON list.';
COMMENT ON COLUMN chunks.page IS 'Page, where there are pages.';
COMMENT ON COLUMN chunks.date IS 'Its date, ISO.';
COMMENT ON COLUMN chunks.tokens IS 'Its length in tokens, roughly.';
COMMENT ON COLUMN chunks.hash IS 'Hash of what is embedded for it (text with title, headings, source).';
COMMENT ON COLUMN chunks.want_gen IS 'Generation that the vector index should have.';
COMMENT ON COLUMN chunks.have_gen IS 'Generation that it has.';
COMMENT ON COLUMN chunks.version IS 'Raised by each change of place or lines.';
COMMENT ON COLUMN chunks.changed_at IS 'When that was, UTC.';

CREATE TABLE entities (
    id BIGINT PRIMARY KEY, group_id INTEGER, slug VARCHAR, slug_key VARCHAR, name VARCHAR, type VARCHAR,
    description VARCHAR, attributes VARCHAR, confidence DOUBLE, extractor VARCHAR, declared_by BIGINT,
    by_person BOOLEAN, want_gen BIGINT, have_gen BIGINT, version BIGINT, changed_at TIMESTAMP, created_at TIMESTAMP
);
COMMENT ON TABLE entities IS 'What the graph speaks of: each row is the reduction of its claims.';
COMMENT ON COLUMN entities.id IS 'Row id.';
COMMENT ON COLUMN entities.group_id IS 'The graph it belongs to.';
COMMENT ON COLUMN entities.slug IS 'Its name in the tree, unique over all types.';
COMMENT ON COLUMN entities.slug_key IS 'The slug, case-folded.';
COMMENT ON COLUMN entities.name IS 'Its name.';
COMMENT ON COLUMN entities.type IS 'Organization, Person, Location, Concept, ….';
COMMENT ON COLUMN entities.description IS 'One or two sentences: the declared ones, else those of the best claim.';
COMMENT ON COLUMN entities.attributes IS 'Declared attributes, a JSON object.';
COMMENT ON COLUMN entities.confidence IS '0 to 1, that of its best claim.';
COMMENT ON COLUMN entities.extractor IS 'What found it.';
COMMENT ON COLUMN entities.declared_by IS 'The document that declares it; NULL if none does.';
COMMENT ON COLUMN entities.by_person IS 'Whether a person made or changed it: extraction leaves it alone.';
COMMENT ON COLUMN entities.want_gen IS 'Generation that the search index should have.';
COMMENT ON COLUMN entities.have_gen IS 'Generation that it has.';
COMMENT ON COLUMN entities.version IS 'Raised by each change.';
COMMENT ON COLUMN entities.changed_at IS 'When that was, UTC.';
COMMENT ON COLUMN entities.created_at IS 'When the row was made, UTC.';

CREATE TABLE entity_claims (
    group_id INTEGER, entity_id BIGINT, document_id BIGINT, key VARCHAR, name VARCHAR, type VARCHAR,
    aliases VARCHAR, description VARCHAR, attributes VARCHAR, confidence DOUBLE, declared BOOLEAN, extractor VARCHAR
);
COMMENT ON TABLE entity_claims IS 'What one document says about one entity, under one name.';
COMMENT ON COLUMN entity_claims.group_id IS 'The graph it belongs to.';
COMMENT ON COLUMN entity_claims.entity_id IS 'The entity that it was resolved to.';
COMMENT ON COLUMN entity_claims.document_id IS 'The document that says it.';
COMMENT ON COLUMN entity_claims.key IS 'The name, normalised: claims with one key are one entity.';
COMMENT ON COLUMN entity_claims.name IS 'The name as the document has it.';
COMMENT ON COLUMN entity_claims.type IS 'The type that the document suggests.';
COMMENT ON COLUMN entity_claims.aliases IS 'Other names there, a JSON list.';
COMMENT ON COLUMN entity_claims.description IS 'What it says about the entity, or empty.';
COMMENT ON COLUMN entity_claims.attributes IS 'Attributes there, a JSON object.';
COMMENT ON COLUMN entity_claims.confidence IS '0 to 1.';
COMMENT ON COLUMN entity_claims.declared IS 'Whether the document declares the entity (front matter, title).';
COMMENT ON COLUMN entity_claims.extractor IS 'What made the claim.';

CREATE TABLE claim_aliases (
    group_id INTEGER, document_id BIGINT, key VARCHAR, alias_key VARCHAR, declared BOOLEAN
);
COMMENT ON TABLE claim_aliases IS 'The other names of a claim, normalised: what may join two names to one entity.';
COMMENT ON COLUMN claim_aliases.group_id IS 'The graph it belongs to.';
COMMENT ON COLUMN claim_aliases.document_id IS 'The document of the claim.';
COMMENT ON COLUMN claim_aliases.key IS 'Normalised name of the claim.';
COMMENT ON COLUMN claim_aliases.alias_key IS 'Normalised alias.';
COMMENT ON COLUMN claim_aliases.declared IS 'Whether the claim is declared.';

CREATE TABLE entity_keys (
    group_id INTEGER, key VARCHAR, entity_id BIGINT
);
COMMENT ON TABLE entity_keys IS 'Which entity each normalised name belongs to.';
COMMENT ON COLUMN entity_keys.group_id IS 'The graph it belongs to.';
COMMENT ON COLUMN entity_keys.key IS 'Normalised name.';
COMMENT ON COLUMN entity_keys.entity_id IS 'Its entity.';

CREATE TABLE entity_aliases (
    group_id INTEGER, entity_id BIGINT, alias VARCHAR, slug VARCHAR, key VARCHAR
);
COMMENT ON TABLE entity_aliases IS 'The other names of an entity, as shown and as links in entities/by_name.';
COMMENT ON COLUMN entity_aliases.group_id IS 'The graph it belongs to.';
COMMENT ON COLUMN entity_aliases.entity_id IS 'The entity.';
COMMENT ON COLUMN entity_aliases.alias IS 'The alias as written.';
COMMENT ON COLUMN entity_aliases.slug IS 'Its slug; not unique.';
COMMENT ON COLUMN entity_aliases.key IS 'The slug, case-folded.';

CREATE TABLE mentions (
    group_id INTEGER, document_id BIGINT, chunk_id BIGINT, key VARCHAR, count INTEGER
);
COMMENT ON TABLE mentions IS 'How often a name stands in a chunk; entity_chunks is made of it.';
COMMENT ON COLUMN mentions.group_id IS 'The graph it belongs to.';
COMMENT ON COLUMN mentions.document_id IS 'The document.';
COMMENT ON COLUMN mentions.chunk_id IS 'The chunk.';
COMMENT ON COLUMN mentions.key IS 'Normalised name.';
COMMENT ON COLUMN mentions.count IS 'How often.';

CREATE TABLE entity_chunks (
    group_id INTEGER, entity_id BIGINT, chunk_id BIGINT, document_id BIGINT, count INTEGER
);
COMMENT ON TABLE entity_chunks IS 'How often an entity stands in a chunk; one row a pair.';
COMMENT ON COLUMN entity_chunks.group_id IS 'The graph it belongs to.';
COMMENT ON COLUMN entity_chunks.entity_id IS 'The entity.';
COMMENT ON COLUMN entity_chunks.chunk_id IS 'The chunk.';
COMMENT ON COLUMN entity_chunks.document_id IS 'The chunk''s document.';
COMMENT ON COLUMN entity_chunks.count IS 'How often.';

CREATE TABLE former_names (
    group_id INTEGER, kind VARCHAR, directory VARCHAR, slug VARCHAR, target_id BIGINT
);
COMMENT ON TABLE former_names IS 'Paths that a merge, a new name or a new type left; they lead to the row that took over.';
COMMENT ON COLUMN former_names.group_id IS 'The graph it belongs to.';
COMMENT ON COLUMN former_names.kind IS 'What it was: entity, topic, document.';
COMMENT ON COLUMN former_names.directory IS 'Directory of an entity''s former type; empty for other kinds.';
COMMENT ON COLUMN former_names.slug IS 'The former slug.';
COMMENT ON COLUMN former_names.target_id IS 'The row that stands for it now.';

CREATE TABLE merges (
    id BIGINT PRIMARY KEY, group_id INTEGER, kept_id BIGINT, gone_id BIGINT, gone_name VARCHAR, reason VARCHAR,
    merged_at TIMESTAMP
);
COMMENT ON TABLE merges IS 'Entities that turned out to be one.';
COMMENT ON COLUMN merges.id IS 'Row id.';
COMMENT ON COLUMN merges.group_id IS 'The graph it belongs to.';
COMMENT ON COLUMN merges.kept_id IS 'The entity that stayed.';
COMMENT ON COLUMN merges.gone_id IS 'The entity that went into it.';
COMMENT ON COLUMN merges.gone_name IS 'Its name.';
COMMENT ON COLUMN merges.reason IS 'Why, one sentence.';
COMMENT ON COLUMN merges.merged_at IS 'When, UTC.';

CREATE TABLE facts (
    id BIGINT PRIMARY KEY, group_id INTEGER, fact_id VARCHAR, type VARCHAR, subject_id BIGINT, object_id BIGINT,
    subject_key VARCHAR, object_key VARCHAR, object_text VARCHAR, value DOUBLE, unit VARCHAR, indicator VARCHAR,
    description VARCHAR, date VARCHAR, valid_from VARCHAR, valid_to VARCHAR, confidence DOUBLE, extractor VARCHAR,
    document_id BIGINT, chunk_id BIGINT, quote VARCHAR, span_start INTEGER, span_end INTEGER, want_gen BIGINT,
    have_gen BIGINT, version BIGINT, changed_at TIMESTAMP
);
COMMENT ON TABLE facts IS 'Statements with their evidence.';
COMMENT ON COLUMN facts.id IS 'Row id.';
COMMENT ON COLUMN facts.group_id IS 'The graph it belongs to.';
COMMENT ON COLUMN facts.fact_id IS 'f_ and 16 hexadecimal digits, the name of its file; survives a new cut into chunks.';
COMMENT ON COLUMN facts.type IS 'ACQUIRED, REPORTED, ….';
COMMENT ON COLUMN facts.subject_id IS 'The entity that it is about.';
COMMENT ON COLUMN facts.object_id IS 'The other entity; NULL where there is a value.';
COMMENT ON COLUMN facts.subject_key IS 'Normalised name of the subject in this document.';
COMMENT ON COLUMN facts.object_key IS 'Normalised name of the object in this document.';
COMMENT ON COLUMN facts.object_text IS 'The value as written, where there is no object entity.';
COMMENT ON COLUMN facts.value IS 'The value as a number.';
COMMENT ON COLUMN facts.unit IS 'Its unit.';
COMMENT ON COLUMN facts.indicator IS 'What a figure measures: the name of its file in economic_data/.';
COMMENT ON COLUMN facts.description IS 'The statement in one sentence.';
COMMENT ON COLUMN facts.date IS 'Its date, ISO; the length is the precision.';
COMMENT ON COLUMN facts.valid_from IS 'From when it holds, ISO.';
COMMENT ON COLUMN facts.valid_to IS 'Until when it holds, ISO.';
COMMENT ON COLUMN facts.confidence IS '0 to 1.';
COMMENT ON COLUMN facts.extractor IS 'What found it.';
COMMENT ON COLUMN facts.document_id IS 'The document that says it.';
COMMENT ON COLUMN facts.chunk_id IS 'The chunk that holds the quote.';
COMMENT ON COLUMN facts.quote IS 'The words that say it, verbatim.';
COMMENT ON COLUMN facts.span_start IS 'Where the quote begins in the chunk''s text, bytes of UTF-8.';
COMMENT ON COLUMN facts.span_end IS 'Where it ends.';
COMMENT ON COLUMN facts.want_gen IS 'Generation that the search index should have.';
COMMENT ON COLUMN facts.have_gen IS 'Generation that it has.';
COMMENT ON COLUMN facts.version IS 'Raised by each change.';
COMMENT ON COLUMN facts.changed_at IS 'When that was, UTC.';

CREATE TABLE topics (
    id BIGINT PRIMARY KEY, group_id INTEGER, slug VARCHAR, slug_key VARCHAR, name VARCHAR, key VARCHAR,
    parent_id BIGINT, definition VARCHAR, source VARCHAR, want_gen BIGINT, have_gen BIGINT, version BIGINT,
    changed_at TIMESTAMP
);
COMMENT ON TABLE topics IS 'Topics, a forest.';
COMMENT ON COLUMN topics.id IS 'Row id.';
COMMENT ON COLUMN topics.group_id IS 'The graph it belongs to.';
COMMENT ON COLUMN topics.slug IS 'Its name in the tree, unique.';
COMMENT ON COLUMN topics.slug_key IS 'The slug, case-folded.';
COMMENT ON COLUMN topics.name IS 'Its name.';
COMMENT ON COLUMN topics.key IS 'Its name, normalised: unique under one parent.';
COMMENT ON COLUMN topics.parent_id IS 'The topic above; NULL at the top.';
COMMENT ON COLUMN topics.definition IS 'What it is about, or empty.';
COMMENT ON COLUMN topics.source IS 'What made it: tag, heading, ….';
COMMENT ON COLUMN topics.want_gen IS 'Generation that the search index should have.';
COMMENT ON COLUMN topics.have_gen IS 'Generation that it has.';
COMMENT ON COLUMN topics.version IS 'Raised by each change.';
COMMENT ON COLUMN topics.changed_at IS 'When that was, UTC.';

CREATE TABLE topic_claims (
    group_id INTEGER, topic_id BIGINT, document_id BIGINT, name VARCHAR, definition VARCHAR, source VARCHAR
);
COMMENT ON TABLE topic_claims IS 'What one document says about one topic.';
COMMENT ON COLUMN topic_claims.group_id IS 'The graph it belongs to.';
COMMENT ON COLUMN topic_claims.topic_id IS 'The topic.';
COMMENT ON COLUMN topic_claims.document_id IS 'The document.';
COMMENT ON COLUMN topic_claims.name IS 'The topic''s name there.';
COMMENT ON COLUMN topic_claims.definition IS 'Its definition there, or empty.';
COMMENT ON COLUMN topic_claims.source IS 'What made it there.';

CREATE TABLE chunk_topics (
    group_id INTEGER, chunk_id BIGINT, topic_id BIGINT, document_id BIGINT
);
COMMENT ON TABLE chunk_topics IS 'Which chunks belong to which topic, without its subtopics.';
COMMENT ON COLUMN chunk_topics.group_id IS 'The graph it belongs to.';
COMMENT ON COLUMN chunk_topics.chunk_id IS 'The chunk.';
COMMENT ON COLUMN chunk_topics.topic_id IS 'The topic.';
COMMENT ON COLUMN chunk_topics.document_id IS 'The chunk''s document.';

CREATE TABLE fact_topics (
    group_id INTEGER, fact_id BIGINT, topic_id BIGINT, document_id BIGINT
);
COMMENT ON TABLE fact_topics IS 'Which facts belong to which topic: those of its chunks.';
COMMENT ON COLUMN fact_topics.group_id IS 'The graph it belongs to.';
COMMENT ON COLUMN fact_topics.fact_id IS 'Row id of the fact.';
COMMENT ON COLUMN fact_topics.topic_id IS 'The topic.';
COMMENT ON COLUMN fact_topics.document_id IS 'The fact''s document.';

CREATE TABLE document_links (
    group_id INTEGER, document_id BIGINT, target VARCHAR, target_key VARCHAR, kind VARCHAR, label VARCHAR,
    target_id BIGINT
);
COMMENT ON TABLE document_links IS 'Links between documents, as written.';
COMMENT ON COLUMN document_links.group_id IS 'The graph it belongs to.';
COMMENT ON COLUMN document_links.document_id IS 'The document that links.';
COMMENT ON COLUMN document_links.target IS 'The target as written.';
COMMENT ON COLUMN document_links.target_key IS 'What it is looked up by: an absolute path, or a name case-folded.';
COMMENT ON COLUMN document_links.kind IS 'wikilink or path.';
COMMENT ON COLUMN document_links.label IS 'The text shown for it.';
COMMENT ON COLUMN document_links.target_id IS 'The document that it leads to; NULL while there is none.';

CREATE TABLE pages (
    page_id BIGINT, view VARCHAR, owner_id BIGINT, name VARCHAR, size INTEGER, body BLOB
);
COMMENT ON TABLE pages IS 'Rendered texts of the tree. A page is never rewritten: another text is another page_id.';
COMMENT ON COLUMN pages.page_id IS 'Id of the rendering.';
COMMENT ON COLUMN pages.view IS 'Which text it is.';
COMMENT ON COLUMN pages.owner_id IS 'Row id of what it is about.';
COMMENT ON COLUMN pages.name IS 'Which of several of one view, or empty.';
COMMENT ON COLUMN pages.size IS 'Length in bytes.';
COMMENT ON COLUMN pages.body IS 'The text, UTF-8.';

CREATE TABLE stale (
    kind VARCHAR, id BIGINT
);
COMMENT ON TABLE stale IS 'What a commit touched and publishing has yet to render; a row may stand here more than once, or for an id that is gone.';
COMMENT ON COLUMN stale.kind IS 'document, chunk, entity, topic or fact.';
COMMENT ON COLUMN stale.id IS 'Its row id.';

CREATE TABLE removals (
    kind VARCHAR, id BIGINT
);
COMMENT ON TABLE removals IS 'What is gone from the rows and must leave the search index.';
COMMENT ON COLUMN removals.kind IS 'chunk, entity, fact or topic.';
COMMENT ON COLUMN removals.id IS 'Its row id.';

CREATE TABLE jobs (
    id VARCHAR PRIMARY KEY, command VARCHAR, arguments VARCHAR, state VARCHAR, progress VARCHAR,
    started_at TIMESTAMP, ended_at TIMESTAMP
);
COMMENT ON TABLE jobs IS 'One row a run of add, rm, ….';
COMMENT ON COLUMN jobs.id IS 'Its name under @status/jobs.';
COMMENT ON COLUMN jobs.command IS 'What was run.';
COMMENT ON COLUMN jobs.arguments IS 'With what, JSON.';
COMMENT ON COLUMN jobs.state IS 'running, done, partly, failed or cancelled.';
COMMENT ON COLUMN jobs.progress IS 'How far it is, and its summary at the end, JSON.';
COMMENT ON COLUMN jobs.started_at IS 'When it began, UTC.';
COMMENT ON COLUMN jobs.ended_at IS 'When it ended, UTC; NULL while it runs.';
