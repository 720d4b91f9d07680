"""Who read documents and what that cost, for people: used by commands that add or read again. Pure but for printing."""

from __future__ import annotations

from typing import Any

from kgfs.cli.declaration import Invocation
from kgfs.counting import counted


def say_reading(invocation: Invocation, result: dict[str, Any], *, dry_run: bool = False) -> None:
    """One line: what a language model would take, what it took, or that none was asked."""
    read = "would be read" if dry_run else "read"
    estimate, cost = result.get("estimate"), result.get("cost")
    if estimate:
        invocation.say(_estimated(estimate))
    elif cost:
        invocation.say(_spent(cost))
    elif result.get("added") or result.get("updated") or result.get("offline"):
        if result.get("extractor") == "auto":
            invocation.note(f"  {read} offline: there is no ANTHROPIC_API_KEY for a language model")
        elif result.get("extractor") == "offline":
            invocation.note(f"  {read} offline, as requested")
    if dropped := result.get("dropped"):
        invocation.note(f"  {_dropped(dropped)}")


def say_cluster(invocation: Invocation, result: dict[str, Any]) -> None:
    """One line: what a Ray cluster did, where one was asked."""
    if used := result.get("cluster"):
        calls = ", ".join(f"{count:,}" for count in sorted(used["done"].values(), reverse=True)) or "none"
        nodes = f"{counted(used['nodes'], 'node')} with {counted(used['processors'], 'processor')}"
        invocation.note(f"  on Ray, {nodes}; calls by node: {calls}")


def _dropped(dropped: dict[str, int]) -> str:
    """What a model said and the texts do not, the commonest reasons first."""
    reasons = sorted(dropped, key=lambda reason: (-dropped[reason], reason))
    named = ", ".join(f"{dropped[reason]:,} × {reason}" for reason in reasons[:3])
    more = f", and {len(reasons) - 3} more reasons" if len(reasons) > 3 else ""
    return f"left out of what the model said: {named}{more}"


def _estimated(estimate: dict[str, Any]) -> str:
    usd = estimate["usd"]
    price = f"the price of {estimate['model']} is not known (`kgfs config llm_prices` states it)"
    if usd is not None:
        price = (
            f"about {dollars(usd)}, {dollars(estimate['batch_usd'])} with --batch (prices of {estimate['prices_of']})"
        )
    return (
        f"{estimate['model']} would read {counted(estimate['documents'], 'document')},"
        f" {counted(estimate['chunks'], 'chunk')}:"
        f" about {estimate['input_tokens']:,} tokens in, {estimate['output_tokens']:,} out; {price}"
    )


def _spent(cost: dict[str, Any]) -> str:
    read = cost["input_tokens"] + cost["cache_read_tokens"] + cost["cache_write_tokens"]
    usd = cost["usd"]
    price = "price not known" if usd is None else dollars(usd)
    kept = f", {counted(cost['kept'], 'answer')} from before" if cost.get("kept") else ""
    return f"cost: {price}, {read:,} tokens in, {cost['output_tokens']:,} out ({cost['model']}{kept})"


def dollars(usd: float) -> str:
    """``0.12 USD``; below a cent two digits that are not 0."""
    if usd == 0 or usd >= 0.01:
        return f"{usd:,.2f} USD"
    return f"{float(f'{usd:.2g}'):f}".rstrip("0") + " USD"
