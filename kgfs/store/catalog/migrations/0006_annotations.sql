-- What people say of the graph: rows of their own, which the reduction of claims reads last.

CREATE TABLE annotations (
    id BIGINT PRIMARY KEY, group_id INTEGER, kind VARCHAR, value VARCHAR, name VARCHAR, type VARCHAR, slug VARCHAR,
    target_name VARCHAR, target_type VARCHAR, fact_id VARCHAR, ref VARCHAR, fact VARCHAR, said_by VARCHAR,
    said_at TIMESTAMP, undone_by VARCHAR, undone_at TIMESTAMP
);
COMMENT ON TABLE annotations IS 'What a person said of the graph. A row is never changed but to note that it was taken back, so the table is its own history.';
COMMENT ON COLUMN annotations.id IS 'Row id; a later one stands over an earlier one of its kind.';
COMMENT ON COLUMN annotations.group_id IS 'The graph it belongs to.';
COMMENT ON COLUMN annotations.kind IS 'make (an entity), rename, retype, describe, merge (into target), fact, retract (a fact).';
COMMENT ON COLUMN annotations.value IS 'The new name, type or description; empty for other kinds.';
COMMENT ON COLUMN annotations.name IS 'What the documents called the entity then: its name where none mentions it any more. Of a merge, the entity that went.';
COMMENT ON COLUMN annotations.type IS 'The type that it had by the documents then.';
COMMENT ON COLUMN annotations.slug IS 'The slug that it had then, which it gets again when this is taken back.';
COMMENT ON COLUMN annotations.target_name IS 'As name, of the entity that took in another, or of a fact''s object; empty for other kinds.';
COMMENT ON COLUMN annotations.target_type IS 'As type, of the same.';
COMMENT ON COLUMN annotations.fact_id IS 'The fact that is stated or retracted; NULL for other kinds.';
COMMENT ON COLUMN annotations.ref IS 'Identity of the document whose words state the fact (context_items.identity, else ref); NULL for other kinds.';
COMMENT ON COLUMN annotations.fact IS 'What else a fact says, JSON: type, object_text, quote, description, date, confidence; NULL for other kinds.';
COMMENT ON COLUMN annotations.said_by IS 'The login name of who said it.';
COMMENT ON COLUMN annotations.said_at IS 'When, UTC.';
COMMENT ON COLUMN annotations.undone_by IS 'Who took it back; NULL while it stands.';
COMMENT ON COLUMN annotations.undone_at IS 'When that was, UTC; NULL while it stands.';

CREATE TABLE annotation_keys (
    annotation_id BIGINT, role VARCHAR, ordinal INTEGER, key VARCHAR
);
COMMENT ON TABLE annotation_keys IS 'The normalised names by which an annotation finds its entities, whatever documents there are.';
COMMENT ON COLUMN annotation_keys.annotation_id IS 'The annotation.';
COMMENT ON COLUMN annotation_keys.role IS 'subject; target (of a merge, of a fact); name (the one that a person gave).';
COMMENT ON COLUMN annotation_keys.ordinal IS 'Which of several, from 0; the first one that documents mention is it.';
COMMENT ON COLUMN annotation_keys.key IS 'Normalised name, as entity_claims.key.';

CREATE TABLE retracted_facts (
    group_id INTEGER, fact_id VARCHAR, document_id BIGINT, chunk_id BIGINT, fact VARCHAR
);
COMMENT ON TABLE retracted_facts IS 'Facts that documents state and a person retracted, as they would be rows of facts.';
COMMENT ON COLUMN retracted_facts.group_id IS 'The graph it belongs to.';
COMMENT ON COLUMN retracted_facts.fact_id IS 'Id of the fact.';
COMMENT ON COLUMN retracted_facts.document_id IS 'The document that states it.';
COMMENT ON COLUMN retracted_facts.chunk_id IS 'The chunk that holds its quote.';
COMMENT ON COLUMN retracted_facts.fact IS 'The columns of its row, JSON.';

COMMENT ON COLUMN entities.by_person IS 'Whether a person made, named, typed or described it: then it stays where no document mentions it.';
COMMENT ON COLUMN entity_merges.rule IS 'Why it is the same: acronym, plural, bracket, company suffix, …; person where somebody said so.';
COMMENT ON COLUMN entity_keys.key IS 'Normalised name; of an entity that a person named also names that no document has.';
