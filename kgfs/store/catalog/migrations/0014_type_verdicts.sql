-- What a language model says of the types of facts that it proposed itself.

CREATE TABLE type_verdicts (name VARCHAR PRIMARY KEY, target VARCHAR, turned BOOLEAN, said_by VARCHAR, said_at TIMESTAMP);
COMMENT ON TABLE type_verdicts IS 'Types of facts that a language model proposed, and the type that each is one with.';
COMMENT ON COLUMN type_verdicts.name IS 'The proposed type (facts.type before it was joined).';
COMMENT ON COLUMN type_verdicts.target IS 'The type that it means; itself where it means no other.';
COMMENT ON COLUMN type_verdicts.turned IS 'Whether subject and object change places.';
COMMENT ON COLUMN type_verdicts.said_by IS 'The model.';
COMMENT ON COLUMN type_verdicts.said_at IS 'When, UTC.';
