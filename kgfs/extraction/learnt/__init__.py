"""What was learnt from labelled texts: the type of a name from the words around it, and the weights for it."""
