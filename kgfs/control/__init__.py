"""The control socket: how a command asks the process that has a store open, and how that process answers.

``frames`` is the wire, ``server`` and ``client`` its two ends, ``answers`` what each request does (the same code with
and without a daemon), ``places`` and ``browse`` the commands that read the tree.
"""
