"""Verification of rating statements without a connection. Needs the extra `statements`: eth-account and rfc8785."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import rfc8785
from eth_account import Account
from eth_account.messages import encode_typed_data
from eth_utils.address import to_checksum_address
from eth_utils.crypto import keccak

from .identifiers import parse_address

#: Longest time between `ratedAt` and `validUntil`.
_MAX_LIFETIME_SECONDS = 86_400
#: Seconds by which the verifier's clock may be behind the signer's.
_CLOCK_SKEW_SECONDS = 30
_MAX_SAFE = 2**53 - 1
_HALF_ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141 // 2

_MEMBERS = {
    "machineId": "uint256",
    "homeChain": "uint16",
    "model": "string",
    "rating": "string",
    "scoreHundredths": "uint16",
    "bonded": "bool",
    "negativeFlag": "bool",
    "kyb": "string",
    "chip": "string",
    "blockNumber": "uint256",
    "blockHash": "bytes32",
    "altSlot": "uint64",
    "ratedAt": "uint64",
    "validUntil": "uint64",
    "explanationHash": "bytes32",
}
_TYPES = {"RatingStatement": [{"name": name, "type": kind} for name, kind in _MEMBERS.items()]}


class StatementRejected(Exception):
    """A document that proves nothing. `problem` is one of the texts of the TypeScript client."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem


@dataclass(frozen=True)
class StatementKey:
    """An accepted key: an address that is known from elsewhere, or a published one with its times."""

    address: str
    not_before: int | None = 0
    not_after: int | None = None
    revoked_at: int | None = None


@dataclass(frozen=True)
class StatementTrust:
    """What a verifier accepts: one deployment and its keys."""

    chain_id: int
    registry: str
    keys: Sequence[StatementKey]
    name: str = "svc rating statement"


@dataclass(frozen=True)
class VerifiedStatement:
    """The signed message, and the address of the key."""

    statement: dict[str, Any]
    signer: str


def verify_statement(document: str | bytes, trust: StatementTrust, now_seconds: int) -> VerifiedStatement:
    """Verifies the text of a statement at a Unix second. Raises `StatementRejected` with the first problem."""
    registry = parse_address(trust.registry)
    keys = {parse_address(key.address): key for key in trust.keys}
    if registry is None or None in keys:
        raise StatementRejected("invalid trust")
    tree = _parse(document)
    names = {"statement", "domain", "types", "signature", "signer", "explanation"}
    if not isinstance(tree, dict) or set(tree) != names or not _is_statement(tree["statement"]):
        raise StatementRejected("malformed")
    statement: dict[str, Any] = tree["statement"]
    domain = {
        "name": trust.name,
        "version": "1",
        "chainId": trust.chain_id,
        "verifyingContract": to_checksum_address(registry),
    }
    if tree["domain"] != domain or isinstance(tree["domain"]["chainId"], bool):
        raise StatementRejected("wrong domain")
    if tree["types"] != _TYPES:
        raise StatementRejected("wrong types")
    signer = _recover(tree["signature"], domain, statement)
    if tree["signer"] != signer:
        raise StatementRejected("wrong signer")
    key = keys.get(signer.lower())
    if key is None:
        raise StatementRejected("unknown signer")
    if not _is_valid_at(key, statement["ratedAt"]):
        raise StatementRejected("key not valid")
    if _hash_explanation(tree["explanation"]) != statement["explanationHash"]:
        raise StatementRejected("wrong explanation")
    if statement["ratedAt"] > now_seconds + _CLOCK_SKEW_SECONDS:
        raise StatementRejected("not valid yet")
    if statement["validUntil"] < now_seconds:
        raise StatementRejected("expired")
    return VerifiedStatement(statement, signer)


def _parse(document: str | bytes) -> Any:
    def reject(_: str) -> Any:
        raise ValueError

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        members = dict(pairs)
        if len(members) != len(pairs):
            raise ValueError
        return members

    def whole(text: str) -> int | float:
        # JSON numbers beyond 2^53 have the value of the nearest double.
        return int(text) if len(text) <= 15 else float(text) if abs(int(text)) > _MAX_SAFE else int(text)

    try:
        text = document.decode("utf-8") if isinstance(document, bytes) else document
        return json.loads(text, object_pairs_hook=unique, parse_constant=reject, parse_int=whole)
    except (ValueError, RecursionError):
        raise StatementRejected("malformed") from None


def _is_whole(most: int) -> Callable[[Any], bool]:
    return lambda value: type(value) is int and 0 <= value <= most


def _matches(pattern: str) -> Callable[[Any], bool]:
    form = re.compile(pattern, re.ASCII)
    return lambda value: isinstance(value, str) and form.fullmatch(value) is not None


def _is_decimal(least: int, bits: int) -> Callable[[Any], bool]:
    is_text = _matches(r"0|[1-9][0-9]{0,77}")
    return lambda value: is_text(value) and least <= int(value) < 2**bits


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


_WORD = _matches(r"[!-~]{1,32}")
_HASH = _matches(r"0x[0-9a-f]{64}")
_SIGNATURE = _matches(r"0x[0-9a-f]{128}1[bc]")
_FORMS: dict[str, Callable[[Any], bool]] = {
    "machineId": _is_decimal(1, 256),
    "homeChain": _is_whole(2**16 - 1),
    "model": _WORD,
    "rating": _WORD,
    "scoreHundredths": _is_whole(10_000),
    "bonded": _is_flag,
    "negativeFlag": _is_flag,
    "kyb": _WORD,
    "chip": _WORD,
    "blockNumber": _is_decimal(0, 256),
    "blockHash": _HASH,
    "altSlot": _is_decimal(0, 64),
    "ratedAt": _is_whole(_MAX_SAFE),
    "validUntil": _is_whole(_MAX_SAFE),
    "explanationHash": _HASH,
}


def _is_statement(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and set(value) == set(_FORMS)
        and all(is_form(value[name]) for name, is_form in _FORMS.items())
        and 0 <= value["validUntil"] - value["ratedAt"] <= _MAX_LIFETIME_SECONDS
    )


def _recover(signature: Any, domain: dict[str, Any], statement: dict[str, Any]) -> str:
    if not _SIGNATURE(signature) or int(signature[66:130], 16) > _HALF_ORDER:
        raise StatementRejected("invalid signature")
    whole = ("machineId", "blockNumber", "altSlot")
    message = {name: int(value) if name in whole else value for name, value in statement.items()}
    try:
        return str(Account.recover_message(encode_typed_data(domain, _TYPES, message), signature=signature))
    except Exception:  # The libraries raise errors of their own for a point that is not on the curve.
        raise StatementRejected("invalid signature") from None


def _is_valid_at(key: StatementKey, rated_at: int) -> bool:
    is_in_use = key.not_before is not None and key.not_before <= rated_at
    return key.revoked_at is None and is_in_use and (key.not_after is None or rated_at <= key.not_after)


def _hash_explanation(explanation: Any) -> str:
    if not isinstance(explanation, dict):
        raise StatementRejected("wrong explanation")
    try:
        return "0x" + keccak(rfc8785.dumps(explanation)).hex()
    except (rfc8785.CanonicalizationError, UnicodeError, RecursionError):
        raise StatementRejected("wrong explanation") from None
