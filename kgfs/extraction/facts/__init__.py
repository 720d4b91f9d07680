"""Which facts a document states: one module for each way of stating them."""
