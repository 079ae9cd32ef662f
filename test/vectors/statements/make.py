#!/usr/bin/env python3
"""Makes and checks vectors of rating statements with eth-account, an implementation that shares no code with the service.

Run:  python3 make.py                 writes statements.json
      python3 make.py --check         fails if statements.json differs (the output is deterministic)
      python3 make.py --verify FILE   recovers the signer of a statement that a service returned; fails if it is not the named one

Needs the packages of requirements.txt. The key is derived from a public label and protects nothing.
"""
import json, pathlib, sys
from eth_account import Account
from eth_account.messages import encode_typed_data
from eth_utils import keccak

HERE = pathlib.Path(__file__).resolve().parent
VECTORS = HERE / "statements.json"
KEY = keccak(text="svc statement vectors")
DOMAIN = {
    "name": "svc rating statement",
    "version": "1",
    "chainId": 31337,
    "verifyingContract": "0x5FbDB2315678afecb367f032d93F642f64180aa3",
}
TYPES = {
    "RatingStatement": [
        {"name": name, "type": kind}
        for kind, name in (
            member.split(" ")
            for member in (
                "uint256 machineId,uint16 homeChain,string model,string rating,uint16 scoreHundredths,bool bonded,"
                "bool negativeFlag,string kyb,string chip,uint256 blockNumber,bytes32 blockHash,uint64 altSlot,"
                "uint64 ratedAt,uint64 validUntil,bytes32 explanationHash"
            ).split(",")
        )
    ]
}
EXPLANATION = {
    "did": "did:svc:42",
    "machine_id": "42",
    "mcr": "AA",
    "total_hundredths": 8896,
    "average_revenue_per_event": 29999.5,
    "availability": "available",
    "summary": "Rated AA with 89 of 100 points; largest deduction: \u20ac \"quoted\" \\ and \u0007.",
    "factors": [{"name": "revenue", "measure": {"usd_cents": 3000000, "ratio": 1e-7}}, [], {}],
    "inputs": {"now": 1800000000, "slot": None, "feed": True, "big": 1e21, "\ufb33": 1, "\U0001f600": 2},
}
# RFC 8785 form of the explanation, written by hand: members by UTF-16 units, numbers as ECMAScript formats them.
EXPLANATION_JCS = (
    '{"availability":"available","average_revenue_per_event":29999.5,"did":"did:svc:42","factors":[{"measure":'
    '{"ratio":1e-7,"usd_cents":3000000},"name":"revenue"},[],{}],"inputs":{"big":1e+21,"feed":true,"now":1800000000,'
    '"slot":null,"\U0001f600":2,"\ufb33":1},"machine_id":"42","mcr":"AA","summary":'
    '"Rated AA with 89 of 100 points; largest deduction: \u20ac \\"quoted\\" \\\\ and \\u0007.","total_hundredths":8896}'
)
BASE = {
    "machineId": "42",
    "homeChain": 1,
    "model": "mcr/2",
    "rating": "AA",
    "scoreHundredths": 8896,
    "bonded": True,
    "negativeFlag": False,
    "kyb": "verified",
    "chip": "unverified",
    "blockNumber": "1234567",
    "blockHash": "0x" + "3f" * 32,
    "altSlot": "0",
    "ratedAt": 1800000000,
    "validUntil": 1800003600,
    "explanationHash": "0x" + keccak(text=EXPLANATION_JCS).hex(),
}
CASES = {
    "main-chain machine": {},
    "alt-chain machine": {"homeChain": 5, "altSlot": str(2**64 - 1), "kyb": "expired"},
    "not bonded": {"rating": "NR", "scoreHundredths": 0, "bonded": False, "negativeFlag": True, "chip": "revoked"},
    "widest numbers": {
        "machineId": str(2**256 - 1),
        "homeChain": 65535,
        "scoreHundredths": 10000,
        "blockNumber": str(2**256 - 1),
        "ratedAt": 2**53 - 86401,
        "validUntil": 2**53 - 1,
    },
}


def to_message(statement):
    whole = ("machineId", "blockNumber", "altSlot")
    return {name: int(value) if name in whole else value for name, value in statement.items()}


def encode(domain, types, statement):
    return encode_typed_data(domain, types, to_message(statement))


def make():
    account = Account.from_key(KEY)
    cases = []
    for name, changes in CASES.items():
        statement = {**BASE, **changes}
        message = encode(DOMAIN, TYPES, statement)
        signed = account.sign_message(message)
        digest = keccak(b"\x19" + message.version + message.header + message.body)
        cases.append({"name": name, "statement": statement, "digest": "0x" + digest.hex(), "signature": "0x" + signed.signature.hex()})
    vectors = {
        "key": "0x" + KEY.hex(),
        "address": account.address,
        "domain": DOMAIN,
        "types": TYPES,
        "explanation": EXPLANATION,
        "explanationText": EXPLANATION_JCS,
        "cases": cases,
    }
    return json.dumps(vectors, indent=1, ensure_ascii=True) + "\n"


def verify(path):
    document = json.loads(pathlib.Path(path).read_text())
    message = encode(document["domain"], document["types"], document["statement"])
    signer = Account.recover_message(message, signature=document["signature"])
    print(signer)
    return signer == document["signer"]


if __name__ == "__main__":
    if sys.argv[1:2] == ["--verify"]:
        sys.exit(0 if verify(sys.argv[2]) else 1)
    text = make()
    if sys.argv[1:] == ["--check"]:
        sys.exit(0 if VECTORS.read_text() == text else 1)
    VECTORS.write_text(text)
