"""Topics across documents: which claims are shown, in which hierarchy, with which definition.

``keys`` says when two names are one topic, ``selection`` which topics count, ``hierarchy`` what stands under what,
``definitions`` what a topic is; ``grouping`` puts together what belongs together by the vectors of its chunks, in
the worker. All are pure; ``kgfs.graph.topic_tree`` turns claims into rows with them.
"""
