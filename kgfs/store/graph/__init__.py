"""The graph as rows: claims, entities, facts, topics, and what people and judges said of them."""
