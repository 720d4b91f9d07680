"""The program ``kgfs``: ``main`` finds the command, ``declaration`` is what commands share; a part a group of them."""
