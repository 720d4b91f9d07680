-- Topics become the reduction of claims: what documents claim is kept apart (topic_claims, topic_claim_chunks), and topics,
-- chunk_topics and fact_topics are made of all claims together. What an older store has is kept as claims until its
-- documents are read again.

CREATE TABLE old_topic_claims AS
    WITH RECURSIVE paths AS (
        SELECT id, key, key AS path, NULL::VARCHAR AS above FROM topics WHERE parent_id IS NULL
        UNION ALL
        SELECT t.id, t.key, p.path || '/' || t.key, p.path FROM topics t JOIN paths p ON t.parent_id = p.id
    )
    SELECT c.group_id, c.document_id, c.topic_id, CASE c.source WHEN 'tag' THEN p.path ELSE p.key END AS key, c.name,
           p.above, c.source, c.definition
    FROM topic_claims c JOIN paths p ON p.id = c.topic_id;
DROP TABLE topic_claims;

CREATE TABLE topic_claims (
    group_id INTEGER, document_id BIGINT, key VARCHAR, source VARCHAR, name VARCHAR, above VARCHAR, definition VARCHAR,
    lead VARCHAR, times INTEGER
);
COMMENT ON TABLE topic_claims IS 'What one document says about one topic; which of them are shown is decided over all documents.';
COMMENT ON COLUMN topic_claims.group_id IS 'The graph it belongs to.';
COMMENT ON COLUMN topic_claims.document_id IS 'The document that claims it.';
COMMENT ON COLUMN topic_claims.key IS 'The name, normalised; a tag''s levels joined by /.';
COMMENT ON COLUMN topic_claims.source IS 'tag, heading, part (of what a heading joins) or phrase.';
COMMENT ON COLUMN topic_claims.name IS 'The name there.';
COMMENT ON COLUMN topic_claims.above IS 'Key of the tag''s level or of the heading above it there; empty if there is none.';
COMMENT ON COLUMN topic_claims.definition IS 'A sentence there that says what it is, or empty.';
COMMENT ON COLUMN topic_claims.lead IS 'The first sentence under the heading, or empty.';
COMMENT ON COLUMN topic_claims.times IS 'How often the heading stands there.';

CREATE TABLE topic_claim_chunks (
    group_id INTEGER, document_id BIGINT, key VARCHAR, source VARCHAR, chunk_id BIGINT, count INTEGER
);
COMMENT ON TABLE topic_claim_chunks IS 'The chunks that a claim of a topic is about.';
COMMENT ON COLUMN topic_claim_chunks.group_id IS 'The graph it belongs to.';
COMMENT ON COLUMN topic_claim_chunks.document_id IS 'The document that claims the topic.';
COMMENT ON COLUMN topic_claim_chunks.key IS 'Key of the claim.';
COMMENT ON COLUMN topic_claim_chunks.source IS 'Source of the claim.';
COMMENT ON COLUMN topic_claim_chunks.chunk_id IS 'The chunk.';
COMMENT ON COLUMN topic_claim_chunks.count IS 'How often a phrase stands in it; 1 for other sources.';

CREATE TABLE topic_groups (
    group_id INTEGER, member VARCHAR, key VARCHAR, name VARCHAR, size INTEGER
);
COMMENT ON TABLE topic_groups IS 'Which topics the vectors of their chunks put together under one topic at the top.';
COMMENT ON COLUMN topic_groups.group_id IS 'The graph it belongs to.';
COMMENT ON COLUMN topic_groups.member IS 'Key of a topic that nothing else gives a place.';
COMMENT ON COLUMN topic_groups.key IS 'Key of the topic above it.';
COMMENT ON COLUMN topic_groups.name IS 'Name of that.';
COMMENT ON COLUMN topic_groups.size IS 'How many topics there were to be put together when the groups were made.';

INSERT INTO topic_claims
    SELECT DISTINCT group_id, document_id, key, source, name, coalesce(above, ''), definition, '', 1 FROM old_topic_claims;
INSERT INTO topic_claim_chunks
    SELECT DISTINCT o.group_id, o.document_id, o.key, o.source, c.chunk_id, 1
    FROM old_topic_claims o JOIN chunk_topics c ON c.topic_id = o.topic_id AND c.document_id = o.document_id;
DROP TABLE old_topic_claims;

COMMENT ON COLUMN topics.key IS 'Its name, normalised, unique; a tag''s levels joined by /.';
COMMENT ON COLUMN topics.definition IS 'What it is: a sentence of the documents, else its facts in one line.';
COMMENT ON COLUMN topics.source IS 'What made it: tag, heading, part, phrase or cluster.';
COMMENT ON TABLE topics IS 'Topics as shown, a forest: the reduction of topic_claims.';

-- `topics` in meta: by which rules topics were made of the claims, `stale` where claims changed since, `older` where their
-- keys are still those of before. Phrases are found when a document is read again.
INSERT OR REPLACE INTO meta SELECT 'topics', 'older' WHERE EXISTS (SELECT 1 FROM topic_claims);
UPDATE context_items SET extracted_gen = 0
    WHERE id IN (SELECT id FROM documents WHERE extractor IS NOT NULL AND extractor <> 'none');
