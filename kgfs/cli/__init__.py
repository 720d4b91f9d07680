"""The program ``kgfs``: ``main`` finds the command, ``declaration`` is what commands share, one module each."""
