"""The text that the owner or controller of a machine signs to opt it in or out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from .identifiers import parse_machine_key

_HEADER = "svc-mcr monetization"
_REGISTRY = re.compile(r"0x[0-9a-f]{40}", re.ASCII)
_CHAIN_ID = re.compile(r"[1-9][0-9]{0,77}", re.ASCII)
_MAX_TIMESTAMP = 2**53 - 1
_MAX_ORDINAL = 2**16 - 1

#: Home of a main-chain machine.
MAIN_CHAIN: Literal["main"] = "main"


@dataclass(frozen=True)
class AltHome:
    """Home of an alt-chain machine: the protocol ordinal of its chain."""

    ordinal: int


@dataclass(frozen=True)
class Deployment:
    """The deployment that a signature is bound to, as `/.well-known/svc-monetization` publishes it."""

    chain_id: str
    registry: str


def format_decision_message(
    machine_id: int,
    opted_in: bool,
    timestamp: int,
    deployment: Deployment,
    home: Literal["main"] | AltHome = MAIN_CHAIN,
    header: str = _HEADER,
) -> str:
    """Formats the message, six lines without a trailing line feed. Raises ValueError that names the invalid field.

    Compare the deployment with the one that you expect before you sign: a signature counts for it alone.
    """
    if not re.fullmatch(r"[!-~](?:[ -~]*[!-~])?", header):
        raise ValueError("message_header is not one line of printable ASCII")
    if not _REGISTRY.fullmatch(deployment.registry):
        raise ValueError("registry is not 0x and 40 lower-case hex digits")
    if not _CHAIN_ID.fullmatch(deployment.chain_id):
        raise ValueError("chain_id is not a canonical decimal")
    if isinstance(home, AltHome) and not _is_between(home.ordinal, 1, _MAX_ORDINAL):
        raise ValueError("home_chain is not a protocol chain ordinal")
    if not isinstance(machine_id, int) or parse_machine_key(machine_id) is None:
        raise ValueError("machine_id is not an int in 1 to 2^256 - 1")
    if not isinstance(opted_in, bool):
        raise ValueError("opted_in is not a bool")
    if not _is_between(timestamp, 1, _MAX_TIMESTAMP):
        raise ValueError("timestamp is not an int in 1 to 2^53 - 1")
    binding = (
        [f"audience: {deployment.chain_id}", f"home_chain: {home.ordinal}"]
        if isinstance(home, AltHome)
        else [f"registry: {deployment.registry}", f"chain_id: {deployment.chain_id}"]
    )
    values = [f"machine_id: {machine_id}", f"opted_in: {str(opted_in).lower()}", f"timestamp: {timestamp}"]
    return "\n".join([header, *binding, *values])


def _is_between(value: int, least: int, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most
