"""The check of an ``agent.db``: every rule of the specification as a statement, and what mends what it finds.

Used by ``kgfs fsck`` through the service, which has the workspace settled meanwhile. Each rule looks at one state and
mends inside one transaction.
"""

from __future__ import annotations

from typing import NamedTuple

from kgfs.agentfs.checking.file_rules import FILE_RULES
from kgfs.agentfs.checking.record_rules import RECORD_RULES
from kgfs.agentfs.checking.rule import Rule, Violation
from kgfs.agentfs.database import AgentDatabase

RULES = (*FILE_RULES, *RECORD_RULES)
"""In their order: a rule relies on those before it."""


class Broken(NamedTuple):
    """A rule with what breaks it."""

    rule: Rule
    violations: list[Violation]
    mended: bool


def check(database: AgentDatabase) -> list[Broken]:
    """What is wrong; nothing is changed."""
    found = []
    with database.read() as connection:
        for rule in RULES:
            violations = list(rule.find(connection))
            if violations:
                found.append(Broken(rule, violations, False))
                if rule is RULES[0]:
                    # What stands in damaged pages says nothing.
                    break
    return found


def repair(database: AgentDatabase) -> list[Broken]:
    """Mend what is wrong; tells what was, and what of it is left."""
    found: dict[str, Broken] = {}
    with database.write() as connection:
        for _ in range(4):
            wrong = False
            for rule in RULES:
                violations = list(rule.find(connection))
                if not violations:
                    continue
                found.setdefault(rule.name, Broken(rule, violations, True))
                if rule is RULES[0] and not all("index" in violation.text for violation in violations):
                    return [Broken(rule, violations, False)]
                if rule.mend is not None:
                    wrong = True
                    for violation in violations:
                        rule.mend(connection, violation)
            if not wrong:
                break
        return [broken._replace(mended=not list(broken.rule.find(connection))) for broken in found.values()]
