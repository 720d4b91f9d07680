"""From candidates to claims, entities, facts and topics: which entity is meant, what the claims on it come to.

Nothing is imported here, as in ``kgfs.documents``.
"""
