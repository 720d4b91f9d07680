-- Names of many documents: what each says of a name, added up before an entity is made of it; which names were joined and why.

ALTER TABLE entity_claims ADD COLUMN standing VARCHAR DEFAULT 'sure';
ALTER TABLE entity_claims ADD COLUMN passages VARCHAR DEFAULT '[]';
COMMENT ON COLUMN entity_claims.standing IS 'sure: an entity for certain; shown: its document alone shows it; seen: a name there. Shown and seen names are entities by the sum of claim_evidence.';
COMMENT ON COLUMN entity_claims.passages IS 'The best sentences there on it, a JSON list of {text, score}.';
COMMENT ON COLUMN entity_claims.entity_id IS 'The entity that it was resolved to; NULL where the name is none.';
COMMENT ON COLUMN entity_claims.key IS 'The name, normalised: claims with one key are one entity. Behind a control character the document, where the name says too little to be the same thing elsewhere.';

ALTER TABLE claim_aliases ADD COLUMN rule VARCHAR DEFAULT 'stated';
COMMENT ON COLUMN claim_aliases.rule IS 'How the document shows that both are one: stated, bracket, link, surname, first word, known, district.';

CREATE TABLE claim_forms (
    group_id INTEGER, document_id BIGINT, key VARCHAR, rule VARCHAR, form VARCHAR, side VARCHAR
);
COMMENT ON TABLE claim_forms IS 'What a name may be written as elsewhere: names that share a form may be one.';
COMMENT ON COLUMN claim_forms.group_id IS 'The graph it belongs to.';
COMMENT ON COLUMN claim_forms.document_id IS 'The document of the claim.';
COMMENT ON COLUMN claim_forms.key IS 'Normalised name of the claim.';
COMMENT ON COLUMN claim_forms.rule IS 'acronym, initials, middle name, plural, spelling or title.';
COMMENT ON COLUMN claim_forms.form IS 'The form.';
COMMENT ON COLUMN claim_forms.side IS 'long: the whole name; short: a name that has to find its one long name; same: either.';

CREATE TABLE claim_evidence (
    group_id INTEGER, document_id BIGINT, key VARCHAR, kind VARCHAR, label VARCHAR, amount DOUBLE
);
COMMENT ON TABLE claim_evidence IS 'What a document says of a name for which only the tagger and the words around it speak.';
COMMENT ON COLUMN claim_evidence.group_id IS 'The graph it belongs to.';
COMMENT ON COLUMN claim_evidence.document_id IS 'The document.';
COMMENT ON COLUMN claim_evidence.key IS 'Normalised name.';
COMMENT ON COLUMN claim_evidence.kind IS 'seen, type, clue, shown, against or shape.';
COMMENT ON COLUMN claim_evidence.label IS 'The type, what speaks against it, or its shape.';
COMMENT ON COLUMN claim_evidence.amount IS 'How often; of shown how surely, 0 to 1.';

CREATE TABLE entity_merges (
    group_id INTEGER, entity_id BIGINT, name VARCHAR, rule VARCHAR, confidence DOUBLE, documents INTEGER
);
COMMENT ON TABLE entity_merges IS 'Which names an entity joins, each with the rule that joined it; as long as documents give cause.';
COMMENT ON COLUMN entity_merges.group_id IS 'The graph it belongs to.';
COMMENT ON COLUMN entity_merges.entity_id IS 'The entity.';
COMMENT ON COLUMN entity_merges.name IS 'The other name.';
COMMENT ON COLUMN entity_merges.rule IS 'Why it is the same: acronym, plural, bracket, company suffix, ….';
COMMENT ON COLUMN entity_merges.confidence IS '0 to 1.';
COMMENT ON COLUMN entity_merges.documents IS 'In how many documents it stands or is given.';

ALTER TABLE entities ADD COLUMN summary VARCHAR DEFAULT '';
COMMENT ON COLUMN entities.summary IS 'The best sentences of all documents on it, or empty.';

-- Evidence, forms and sentences are found when a document is read again.
UPDATE context_items SET extracted_gen = 0
    WHERE id IN (SELECT id FROM documents WHERE extractor IS NOT NULL AND extractor NOT IN ('', 'none'));
