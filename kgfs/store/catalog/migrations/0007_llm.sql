-- What a language model answered, what that cost, and the batches that are on their way.

CREATE TABLE llm_answers (
    key VARCHAR PRIMARY KEY, model VARCHAR, prompt_version VARCHAR, purpose VARCHAR, input VARCHAR, stop_reason VARCHAR,
    input_tokens BIGINT, output_tokens BIGINT, cache_read_tokens BIGINT, cache_write_tokens BIGINT, batched BOOLEAN,
    created_at TIMESTAMP
);
COMMENT ON TABLE llm_answers IS 'Answers of language models: a request whose answer is here is not asked again.';
COMMENT ON COLUMN llm_answers.key IS 'Digest of all that decides about the answer: model, prompt version, system text, content, tool, length.';
COMMENT ON COLUMN llm_answers.model IS 'The model that was asked.';
COMMENT ON COLUMN llm_answers.prompt_version IS 'Version of the prompt.';
COMMENT ON COLUMN llm_answers.purpose IS 'What it was asked for first: chunk, extract, glean, judge, topics, load.';
COMMENT ON COLUMN llm_answers.input IS 'The input of the tool that the model called, JSON; NULL where it called none or gave no object.';
COMMENT ON COLUMN llm_answers.stop_reason IS 'Why the answer ended; max_tokens where it was cut off.';
COMMENT ON COLUMN llm_answers.input_tokens IS 'Tokens read at full price.';
COMMENT ON COLUMN llm_answers.output_tokens IS 'Tokens written.';
COMMENT ON COLUMN llm_answers.cache_read_tokens IS 'Tokens that the server had kept.';
COMMENT ON COLUMN llm_answers.cache_write_tokens IS 'Tokens that the server keeps from then on.';
COMMENT ON COLUMN llm_answers.batched IS 'Whether it came in a batch, at half the price.';
COMMENT ON COLUMN llm_answers.created_at IS 'When it came, UTC.';

CREATE TABLE llm_costs (
    document_id BIGINT, purpose VARCHAR, model VARCHAR, requests BIGINT, input_tokens BIGINT, output_tokens BIGINT,
    cache_read_tokens BIGINT, cache_write_tokens BIGINT, usd DOUBLE, PRIMARY KEY (document_id, purpose, model)
);
COMMENT ON TABLE llm_costs IS 'What was paid to language models, over all runs; what a removed document cost stays.';
COMMENT ON COLUMN llm_costs.document_id IS 'The document that was read; 0 where it was for many.';
COMMENT ON COLUMN llm_costs.purpose IS 'What for: chunk, extract, glean, judge, topics, load.';
COMMENT ON COLUMN llm_costs.model IS 'The model.';
COMMENT ON COLUMN llm_costs.requests IS 'How many answers were paid for.';
COMMENT ON COLUMN llm_costs.input_tokens IS 'Tokens read at full price.';
COMMENT ON COLUMN llm_costs.output_tokens IS 'Tokens written.';
COMMENT ON COLUMN llm_costs.cache_read_tokens IS 'Tokens that the server had kept.';
COMMENT ON COLUMN llm_costs.cache_write_tokens IS 'Tokens that the server keeps from then on.';
COMMENT ON COLUMN llm_costs.usd IS 'US dollars at the prices of then; NULL where the price was not known.';

CREATE TABLE llm_batches (
    id VARCHAR PRIMARY KEY, api_id VARCHAR, created_at TIMESTAMP
);
COMMENT ON TABLE llm_batches IS 'Batches of requests that are on their way. A row is there before the batch is sent and goes when its answers are rows.';
COMMENT ON COLUMN llm_batches.id IS 'Our own id.';
COMMENT ON COLUMN llm_batches.api_id IS 'The server''s id; NULL until it is known (a run that was killed while it sent the batch finds it again by its requests).';
COMMENT ON COLUMN llm_batches.created_at IS 'When the row was made, UTC.';

CREATE TABLE llm_batch_requests (
    batch_id VARCHAR, key VARCHAR, model VARCHAR, prompt_version VARCHAR, purpose VARCHAR, document_id BIGINT
);
COMMENT ON TABLE llm_batch_requests IS 'Which requests are in which batch.';
COMMENT ON COLUMN llm_batch_requests.batch_id IS 'The batch, by our own id.';
COMMENT ON COLUMN llm_batch_requests.key IS 'Key of the request (llm_answers.key), the custom id of its entry.';
COMMENT ON COLUMN llm_batch_requests.model IS 'As in llm_answers.';
COMMENT ON COLUMN llm_batch_requests.prompt_version IS 'As in llm_answers.';
COMMENT ON COLUMN llm_batch_requests.purpose IS 'As in llm_answers.';
COMMENT ON COLUMN llm_batch_requests.document_id IS 'The document that it is for; 0 where it is for many.';
