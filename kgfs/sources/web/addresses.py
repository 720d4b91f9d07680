"""Which addresses of the network may be reached: the public ones, unless the user allows the others.

Used by ``http`` in the loader process. A name is looked up once, all that it stands for is checked, and what was
checked is what is connected to: a name that is looked up again could mean another machine by then (DNS rebinding).
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable

from kgfs.errors import RefusedError

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Resolver = Callable[[str, int], list[str]]

_NAT64 = (ipaddress.ip_network("64:ff9b::/96"), ipaddress.ip_network("64:ff9b:1::/48"))
_COMPATIBLE = ipaddress.ip_network("::/96")


def system_resolver(host: str, port: int) -> list[str]:
    """The addresses of a host, in the system's order. ``OSError`` (``socket.gaierror``) where it has none.

    Numbers in the forms of old (``0x7f.1``, ``2130706433``) are understood as the system understands them.
    """
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


def is_public(text: str) -> bool:
    """Whether an address is one that anybody in the world may have: not of this machine, its network, or for many.

    An IPv6 address that carries an IPv4 one (mapped, compatible, NAT64, 6to4, Teredo) is judged by that too.
    """
    if "%" in text:
        return False  # of one interface
    address: Address = ipaddress.ip_address(text)
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return is_public(str(address.ipv4_mapped))
        inner = [address.sixtofour, *(address.teredo or ())]
        if any(address in network for network in _NAT64) or address in _COMPATIBLE:
            inner.append(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
        if any(one is not None and not is_public(str(one)) for one in inner):
            return False
        if address.is_site_local or address in _COMPATIBLE:
            return False
        if any(address in network for network in _NAT64):
            return True
    return bool(
        address.is_global
        and not address.is_multicast
        and not address.is_reserved
        and not address.is_unspecified
        and not address.is_loopback
        and not address.is_link_local
    )


def _is_link_local(text: str) -> bool:
    """Whether an address is of the next cable alone, where clouds have the server that gives out a machine's keys."""
    address: Address = ipaddress.ip_address(text.partition("%")[0])
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return (mapped or address).is_link_local


def reachable_addresses(host: str, port: int, *, private: bool, resolve: Resolver) -> list[str]:
    """The addresses of ``host`` that may be connected to, in order.

    Where one of them may not be, none may: no honest name stands for both. A link-local one is refused even where
    private ones are allowed: a page of the user's network must not lead to a cloud's metadata. ``RefusedError`` says
    so; ``OSError`` where the host is not known.
    """
    found = resolve(host.strip("[]"), port)
    if not private and any(not is_public(address) for address in found):
        raise RefusedError(
            f"{host} is on this machine or its network; kgfs reads public pages only, unless --allow-private is given."
        )
    if any(_is_link_local(address) for address in found):
        raise RefusedError(
            f"{host} is a link-local address, from which kgfs reads nothing; save the page and add that."
        )
    return found
