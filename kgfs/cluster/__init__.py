"""Reading on many machines: a Ray cluster parses, extracts and embeds, and the rows are written by one process here.

``addresses`` says which clusters there are, ``client`` is what the pipeline calls, ``driver`` is the process that
speaks to Ray, ``node`` is what runs on the nodes, ``comparison`` tells whether these have the same programs.
"""
