-- A fact may be a plan or a claim, and has a role and a kind of date beside its ends.

ALTER TABLE facts ADD COLUMN status VARCHAR DEFAULT 'stated';
COMMENT ON COLUMN facts.status IS 'stated: it is so; planned: it is to be so; claimed: somebody says so; conditional: it is so if something else is.';
ALTER TABLE facts ADD COLUMN role VARCHAR;
COMMENT ON COLUMN facts.role IS 'As what the subject stands to the object (chief economist), in the words of the text; NULL where none is said.';
ALTER TABLE facts ADD COLUMN date_role VARCHAR;
COMMENT ON COLUMN facts.date_role IS 'What its date is: happened, measured, due or as_of; NULL where it has none or nothing says.';
