"""What language models answered, as rows: answers with their costs and uses, verdicts on topics and types."""
