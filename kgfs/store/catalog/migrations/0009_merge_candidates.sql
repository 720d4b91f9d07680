CREATE TABLE merge_candidates (
    group_id INTEGER, one_id BIGINT, other_id BIGINT, reason VARCHAR, cosine DOUBLE, score DOUBLE
);
COMMENT ON TABLE merge_candidates IS 'Pairs of entities that may be one though nothing says so; found anew from all entities.';
COMMENT ON COLUMN merge_candidates.group_id IS 'The graph it belongs to.';
COMMENT ON COLUMN merge_candidates.one_id IS 'The entity with the smaller id.';
COMMENT ON COLUMN merge_candidates.other_id IS 'The other one.';
COMMENT ON COLUMN merge_candidates.reason IS 'What the names have in common.';
COMMENT ON COLUMN merge_candidates.cosine IS 'Of their vectors; NULL where one had none.';
COMMENT ON COLUMN merge_candidates.score IS 'How likely they are one, 0 to 1.';
CREATE TABLE merge_verdicts (
    group_id INTEGER, one_key VARCHAR, other_key VARCHAR, same BOOLEAN, confidence DOUBLE, said_by VARCHAR,
    evidence VARCHAR, said_at TIMESTAMP
);
COMMENT ON TABLE merge_verdicts IS 'What a judge said of two names: one thing or two. Found by names, so it outlives entities.';
COMMENT ON COLUMN merge_verdicts.group_id IS 'The graph it belongs to.';
COMMENT ON COLUMN merge_verdicts.one_key IS 'The normalised name that sorts first.';
COMMENT ON COLUMN merge_verdicts.other_key IS 'The other one.';
COMMENT ON COLUMN merge_verdicts.same IS 'Whether both name one thing.';
COMMENT ON COLUMN merge_verdicts.confidence IS 'How sure the judge is, 0 to 1.';
COMMENT ON COLUMN merge_verdicts.said_by IS 'The model, or person: a person''s word is never replaced by a model''s.';
COMMENT ON COLUMN merge_verdicts.evidence IS 'A hash of what the judge was shown.';
COMMENT ON COLUMN merge_verdicts.said_at IS 'When, UTC.';
