"""Errors of the service as one exception with a kind to branch on."""

from __future__ import annotations

import re
from typing import Any

_DETAILS = {
    "Alt-chain ownership snapshot is out of date": "alt-snapshot-out-of-date",
    "Bad Request": "invalid-request",
    "Binding registry unavailable": "binding-registry-unavailable",
    "Chain unavailable": "chain-unavailable",
    "Content Too Large": "request-too-large",
    "Empty DID": "invalid-operator",
    "Event data is private": "event-data-private",
    "Home chain unavailable": "chain-unavailable",
    "Internal Server Error": "internal-error",
    "Invalid Ethereum address format": "invalid-operator",
    "Invalid Solana address": "invalid-wallet",
    "Invalid machine DID format": "invalid-machine-id",
    "Machine is relocating": "machine-relocating",
    "Machine not found": "machine-not-found",
    "Method Not Allowed": "method-not-allowed",
    "Not Found": "route-not-found",
    "Request Header Fields Too Large": "request-too-large",
    "Request Timeout": "request-timeout",
    "Service clock is not usable now": "clock-unusable",
    "Service not initialised": "service-not-initialised",
    "Solana address is not bound": "wallet-not-bound",
    "Solana binding is revoked": "binding-revoked",
    "Storage unavailable": "storage-unavailable",
    "Token not found": "machine-not-found",
    "Too many new lookups, retry later": "too-many-lookups",
    "Ownership index is being repaired for this address": "index-under-repair",
}
_PATTERNS = (
    (re.compile(r"(?:Event|Operator) index is syncing: block [0-9]{1,15} of [0-9]{1,15}"), "index-syncing"),
    (re.compile(r"Operator index is stale: chain head not read for [0-9]{1,15} seconds"), "index-stale"),
    (re.compile(r"Statement unavailable: .*"), "statement-unavailable"),
)
_CODE = re.compile(r"[A-Z]+(?:_[A-Z]+)*", re.ASCII)
_RETRYABLE = (429, 502, 503, 504)


class ServiceError(Exception):
    """A documented error of the service, or a response or connection that is none.

    `kind` is for programs and `text` for people. Kinds without a status are `unreachable` and `invalid-argument`.
    Only `machine-not-found` says that a machine does not exist.
    """

    def __init__(
        self,
        kind: str,
        text: str,
        status: int | None = None,
        retry_after_seconds: int | None = None,
        home_protocol_chain_id: int | None = None,
    ) -> None:
        super().__init__(f"{kind}: {text}")
        self.kind = kind
        self.text = text
        self.status = status
        self.retry_after_seconds = retry_after_seconds
        self.home_protocol_chain_id = home_protocol_chain_id

    @property
    def is_retryable(self) -> bool:
        """Whether the same request may succeed later. Until then keep the last known value."""
        return self.kind == "unreachable" or self.status in _RETRYABLE


def to_service_error(status: int, body: Any, retry_after: str | None = None) -> ServiceError:
    """Converts an error response. A body that is not documented becomes `unexpected-response`."""
    kind, text, home = _classify(status, body if isinstance(body, dict) else {})
    seconds = int(retry_after) if retry_after is not None and re.fullmatch(r"[0-9]{1,9}", retry_after) else None
    return ServiceError(kind, text, status, seconds, home)


def _classify(status: int, body: dict[str, Any]) -> tuple[str, str, int | None]:
    detail = body.get("detail")
    if status == 422 and isinstance(detail, list):
        return "invalid-parameters", "Invalid parameters", None
    if status == 429 and isinstance(body.get("error"), str):
        return "rate-limited", body["error"], None
    if isinstance(detail, str):
        known = _DETAILS.get(detail) or next((kind for form, kind in _PATTERNS if form.fullmatch(detail)), None)
        if known is not None:
            return known, detail, None
    if isinstance(detail, dict):
        code, message, home = detail.get("code"), detail.get("message"), detail.get("home_protocol_chain_id")
        if isinstance(code, str) and _CODE.fullmatch(code):
            return code.lower().replace("_", "-"), message if isinstance(message, str) else code, home
    return "unexpected-response", f"HTTP {status}", None
