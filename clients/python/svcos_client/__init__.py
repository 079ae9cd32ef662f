"""Client of the Machine Rating, Monetization and Verification Service, synchronous and asynchronous."""

from .client import AsyncClient, Block, ChangeQuery, Client, DirectoryQuery, Reply
from .decisions import AltHome, Deployment, MAIN_CHAIN, format_decision_message
from .errors import ServiceError
from .identifiers import MAX_MACHINE_ID, format_machine_did, parse_address, parse_machine_key

__all__ = [
    "AltHome",
    "AsyncClient",
    "Block",
    "ChangeQuery",
    "Client",
    "Deployment",
    "DirectoryQuery",
    "MAIN_CHAIN",
    "MAX_MACHINE_ID",
    "Reply",
    "ServiceError",
    "format_decision_message",
    "format_machine_did",
    "parse_address",
    "parse_machine_key",
]
