"""Identifiers of machines and accounts. Parsing returns None for any other text, never a similar value."""

from __future__ import annotations

import re

MAX_MACHINE_ID = 2**256 - 1
DEFAULT_METHOD = "svc"

_DECIMAL = re.compile(r"[1-9][0-9]{0,77}", re.ASCII)
_ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}", re.ASCII)


def parse_machine_key(key: int | str, method: str = DEFAULT_METHOD) -> int | None:
    """Parses a machine's decimal id or its DID. An id is an int, or text in canonical decimal."""
    if isinstance(key, bool) or not isinstance(key, (int, str)):
        raise TypeError("a machine id is text or an int")
    if isinstance(key, int):
        return key if 1 <= key <= MAX_MACHINE_ID else None
    text = key.removeprefix(f"did:{method}:")
    if _DECIMAL.fullmatch(text) is None:
        return None
    return parse_machine_key(int(text))


def format_machine_did(machine_id: int, method: str = DEFAULT_METHOD) -> str:
    """Formats the DID of a machine."""
    return f"did:{method}:{machine_id}"


def parse_address(text: str, method: str = DEFAULT_METHOD) -> str | None:
    """Parses an address or its DID and returns the address in lower case. Does not check the checksum."""
    address = text.removeprefix(f"did:{method}:")
    return address.lower() if _ADDRESS.fullmatch(address) else None
