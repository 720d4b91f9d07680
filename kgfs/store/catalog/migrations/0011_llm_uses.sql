-- What a language model answered about texts that are gone goes with them; and what it says of topics.

CREATE TABLE llm_uses (
    key VARCHAR, document_id BIGINT, stage VARCHAR, left_at TIMESTAMP, PRIMARY KEY (key, document_id, stage)
);
COMMENT ON TABLE llm_uses IS 'Which documents'' words a request to a language model shows. Noted before it is asked.';
COMMENT ON COLUMN llm_uses.key IS 'Key of the request (llm_answers.key).';
COMMENT ON COLUMN llm_uses.document_id IS 'The document; 0 of answers that are older than this table.';
COMMENT ON COLUMN llm_uses.stage IS 'What the document was read for: chunk, read, topics.';
COMMENT ON COLUMN llm_uses.left_at IS 'Since when the document, or this text of it, is gone, UTC; NULL while it is there.';
INSERT INTO llm_uses SELECT key, 0, purpose, NULL FROM llm_answers WHERE purpose <> 'judge';

CREATE TABLE topic_verdicts (
    group_id INTEGER, key VARCHAR, evidence VARCHAR, parent VARCHAR, definition VARCHAR, documents VARCHAR,
    said_by VARCHAR, said_at TIMESTAMP, left_at TIMESTAMP
);
COMMENT ON TABLE topic_verdicts IS 'What a language model says of a topic, by its key and by what it was shown; used while that is what it would be shown.';
COMMENT ON COLUMN topic_verdicts.group_id IS 'The graph it belongs to.';
COMMENT ON COLUMN topic_verdicts.key IS 'The topic (topics.key).';
COMMENT ON COLUMN topic_verdicts.evidence IS 'A hash of what the model was shown of it.';
COMMENT ON COLUMN topic_verdicts.parent IS 'Key of the topic above it; empty where it says none.';
COMMENT ON COLUMN topic_verdicts.definition IS 'What it is, one sentence; empty where it says none that can be used.';
COMMENT ON COLUMN topic_verdicts.documents IS 'The documents of which words were shown, by id, JSON.';
COMMENT ON COLUMN topic_verdicts.said_by IS 'The model.';
COMMENT ON COLUMN topic_verdicts.said_at IS 'When, UTC.';
COMMENT ON COLUMN topic_verdicts.left_at IS 'Since when it is not used, UTC: what would be shown is something else now.';
