#!/usr/bin/env python3
"""Makes the golden vectors of the clients in TypeScript, Python and Go. Uses the standard library and `../statements/statements.json` alone.

Run:  python3 make.py           writes clients.json
      python3 make.py --check   fails if clients.json differs (the output is deterministic)
"""
import copy, json, pathlib, sys

HERE = pathlib.Path(__file__).resolve().parent
VECTORS = HERE / "clients.json"
SIGNED = json.loads((HERE.parent / "statements" / "statements.json").read_text())
LARGEST = 2**256 - 1
ADDRESS = "0x" + "aB" * 20

IDENTIFIERS = {
    **{text: text for text in ("1", "42", str(LARGEST))},
    **{f"did:svc:{number}": str(number) for number in (1, 42, LARGEST)},
    **{text: None for text in ("", "0", "01", "+1", "-1", " 1", "1 ", "1\n", "1.0", "1e3", "0x1", "\u0661", "1_0", str(LARGEST + 1))},
    **{text: None for text in ("did:svc:", "did:svc:0", "did:svc:01", "DID:svc:1", "did:SVC:1", "did:web:1", "did:svc:did:svc:1", "1" * 79, ADDRESS)},
}
ADDRESSES = {
    **{text: ADDRESS.lower() for text in (ADDRESS, ADDRESS.lower(), "did:svc:" + ADDRESS)},
    **{text: None for text in ("", "0x", ADDRESS[2:], ADDRESS[:-1], ADDRESS + "0", "0X" + ADDRESS[2:], "did:svc:", "42", ADDRESS + "\n")},
}
DIRECTORY = [
    ({}, "/directory"),
    ({"limit": 500}, "/directory?limit=500"),
    ({"rating": ["AAA", "AA"], "opt_in": ["OPTED_IN"]}, "/directory?opt_in=OPTED_IN&rating=AAA%2CAA"),
    ({"sort": "-score", "after": "71.42"}, "/directory?after=71.42&sort=-score"),
    ({"operator": "did:svc:" + ADDRESS}, f"/directory?operator=did%3Asvc%3A{ADDRESS}"),
    ({"owner": ADDRESS, "active_since": 1788900000}, f"/directory?active_since=1788900000&owner={ADDRESS}"),
    (
        {"bond": ["Active", "Grace"], "chip": ["verified"], "flag": ["none"], "home": ["alt"], "kyb": ["verified"]},
        "/directory?bond=Active%2CGrace&chip=verified&flag=none&home=alt&kyb=verified",
    ),
    ({"owner": "a&b=c d/\u00e9"}, "/directory?owner=a%26b%3Dc+d%2F%C3%A9"),
]
MESSAGE = {"machineId": "42", "optedIn": True, "timestamp": 1788900000, "homeChain": 0, "chainId": "31337", "registry": "0x" + "00" * 19 + "aa"}
MAIN_TEXT = "svc-mcr monetization\nregistry: 0x{0}aa\nchain_id: 31337\nmachine_id: {1}\nopted_in: {2}\ntimestamp: {3}"
ALT_TEXT = "svc-mcr monetization\naudience: 31337\nhome_chain: 5\nmachine_id: 42\nopted_in: false\ntimestamp: 1788900000"
ZEROS = "00" * 19
MESSAGES = [
    ("main chain", {}, MAIN_TEXT.format(ZEROS, 42, "true", 1788900000)),
    ("alt chain", {"homeChain": 5, "optedIn": False}, ALT_TEXT),
    ("widest numbers", {"machineId": str(LARGEST), "timestamp": 2**53 - 1}, MAIN_TEXT.format(ZEROS, LARGEST, "true", 2**53 - 1)),
    ("id of 0", {"machineId": "0"}, None),
    ("id above 256 bits", {"machineId": str(LARGEST + 1)}, None),
    ("timestamp of 0", {"timestamp": 0}, None),
    ("timestamp above 53 bits", {"timestamp": 2**53}, None),
    ("registry in upper case", {"registry": "0x" + "AA" * 20}, None),
    ("registry with another line", {"registry": MESSAGE["registry"] + "\n"}, None),
    ("chain id with a leading zero", {"chainId": "01"}, None),
    ("chain id with another line", {"chainId": "1\nmachine_id: 7"}, None),
    ("ordinal above 16 bits", {"homeChain": 65536}, None),
]
CODED = "MACHINE_HOMED_ELSEWHERE INVALID_REQUEST UNAUTHORIZED_SIGNER STALE_SIGNATURE MACHINE_NOT_FOUND RATE_LIMITED VERIFY_READ_UNAVAILABLE CHAIN_UNAVAILABLE"
ERRORS = [
    (404, {"detail": "Machine not found"}, "machine-not-found", False),
    (400, {"detail": "Invalid machine DID format"}, "invalid-machine-id", False),
    (400, {"detail": "Bad Request"}, "invalid-request", False),
    (403, {"detail": "Event data is private"}, "event-data-private", False),
    (503, {"detail": "Machine is relocating"}, "machine-relocating", True),
    (503, {"detail": "Chain unavailable"}, "chain-unavailable", True),
    (503, {"detail": "Home chain unavailable"}, "chain-unavailable", True),
    (503, {"detail": "Service not initialised"}, "service-not-initialised", True),
    (503, {"detail": "Storage unavailable"}, "storage-unavailable", True),
    (503, {"detail": "Too many new lookups, retry later"}, "too-many-lookups", True),
    (503, {"detail": "Event index is syncing: block 5 of 9"}, "index-syncing", True),
    (503, {"detail": "Operator index is syncing: block 5 of 9"}, "index-syncing", True),
    (503, {"detail": "Operator index is stale: chain head not read for 700 seconds"}, "index-stale", True),
    (503, {"detail": "Statement unavailable: machine is not final yet"}, "statement-unavailable", True),
    (429, {"error": "Rate limit exceeded: 90 per 1 minute"}, "rate-limited", True),
    (422, {"detail": [{"type": "int_parsing", "loc": ["path", "machine_id"], "msg": "m", "input": "x"}]}, "invalid-parameters", False),
    (404, {"detail": "Machine Not Found"}, "unexpected-response", False),
    (404, {"detail": {"message": "no code"}}, "unexpected-response", False),
    (404, {"detail": None}, "unexpected-response", False),
    (404, {}, "unexpected-response", False),
    (502, {"anything": 1}, "unexpected-response", True),
] + [
    (409 if code == "MACHINE_HOMED_ELSEWHERE" else 400,
     {"detail": {"code": code, "message": "m", **({"home_protocol_chain_id": 3} if code == "MACHINE_HOMED_ELSEWHERE" else {})}},
     code.lower().replace("_", "-"), False)
    for code in CODED.split()
]
NOW = 1800000000
ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141


def text_of(document):
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))


def document_of(case):
    return {
        "statement": case["statement"],
        "domain": SIGNED["domain"],
        "types": SIGNED["types"],
        "signature": case["signature"],
        "signer": SIGNED["address"],
        "explanation": SIGNED["explanation"],
    }


def changed(*path, to=None):
    document = copy.deepcopy(document_of(SIGNED["cases"][0]))
    target = document
    for name in path[:-1]:
        target = target[name]
    if to is None:
        del target[path[-1]]
    else:
        target[path[-1]] = to
    return text_of(document)


def malleated(signature):
    s = ORDER - int(signature[66:130], 16)
    return f"{signature[:66]}{s:064x}{'1c' if signature.endswith('1b') else '1b'}"


def statements():
    first = SIGNED["cases"][0]
    plain = text_of(document_of(first))
    cases = [(each["name"], text_of(document_of(each)), {"now": each["statement"]["ratedAt"]}, None) for each in SIGNED["cases"]]
    cases += [
        ("first second", plain, {"now": NOW - 30}, None),
        ("last second", plain, {"now": NOW + 3600}, None),
        ("too early", plain, {"now": NOW - 31}, "not valid yet"),
        ("too late", plain, {"now": NOW + 3601}, "expired"),
        ("no JSON", plain[:-1], {}, "malformed"),
        ("a repeated member", plain.replace('"bonded":true', '"bonded":false,"bonded":true'), {}, "malformed"),
        ("a repeated member of the explanation", plain.replace('"feed":true', '"feed":false,"feed":true'), {}, "malformed"),
        ("no explanation", changed("explanation"), {}, "malformed"),
        ("another member", changed("extra", to=1), {}, "malformed"),
        ("another member of the message", changed("statement", "extra", to=1), {}, "malformed"),
        ("an id with a leading zero", changed("statement", "machineId", to="042"), {}, "malformed"),
        ("an id as a number", changed("statement", "machineId", to=42), {}, "malformed"),
        ("a flag as a number", changed("statement", "bonded", to=1), {}, "malformed"),
        ("points above 10000", changed("statement", "scoreHundredths", to=10001), {}, "malformed"),
        ("a validity of more than a day", changed("statement", "validUntil", to=NOW + 86401), {}, "malformed"),
        ("a hash in upper case", changed("statement", "blockHash", to="0x" + "3F" * 32), {}, "malformed"),
        ("another rating", changed("statement", "rating", to="AAA"), {}, "wrong signer"),
        ("another chain in the domain", changed("domain", "chainId", to=1), {}, "wrong domain"),
        ("another chain expected", plain, {"chainId": 1}, "wrong domain"),
        ("another registry expected", plain, {"registry": "0x" + "11" * 20}, "wrong domain"),
        ("another name of the domain", changed("domain", "name", to="another"), {}, "wrong domain"),
        ("types in another order", changed("types", "RatingStatement", to=SIGNED["types"]["RatingStatement"][::-1]), {}, "wrong types"),
        ("the other form of the signature", changed("signature", to=malleated(first["signature"])), {}, "invalid signature"),
        ("a signature of 64 bytes", changed("signature", to=first["signature"][:-2]), {}, "invalid signature"),
        ("a signature of zeros", changed("signature", to="0x" + "00" * 64 + "1b"), {}, "invalid signature"),
        ("a signature in upper case", changed("signature", to="0x" + first["signature"][2:].upper()), {}, "invalid signature"),
        ("a signer in lower case", changed("signer", to=SIGNED["address"].lower()), {}, "wrong signer"),
        ("another explanation", changed("explanation", "mcr", to="AAA"), {}, "wrong explanation"),
        ("an explanation with another member", changed("explanation", "extra", to=True), {}, "wrong explanation"),
        ("no accepted key", plain, {"keys": []}, "unknown signer"),
        ("another accepted key", plain, {"keys": [{"address": "0x" + "22" * 20, "notBefore": 0}]}, "unknown signer"),
        ("a key within its times", plain, {"keys": [{"notBefore": NOW, "notAfter": NOW}]}, None),
        ("a key that is announced", plain, {"keys": [{"notBefore": None}]}, "key not valid"),
        ("a key before its first second", plain, {"keys": [{"notBefore": NOW + 1}]}, "key not valid"),
        ("a key after its last second", plain, {"keys": [{"notBefore": 0, "notAfter": NOW - 1}]}, "key not valid"),
        ("a revoked key", plain, {"keys": [{"notBefore": 0, "revokedAt": NOW + 10**6}]}, "key not valid"),
        ("a registry that is no address", plain, {"registry": "0x"}, "invalid trust"),
    ]
    for name, document, changes, problem in cases:
        trust = {"now": NOW, "chainId": SIGNED["domain"]["chainId"], "registry": SIGNED["domain"]["verifyingContract"], "keys": [{"notBefore": 0}], **changes}
        keys = [{"address": SIGNED["address"], "notAfter": None, "revokedAt": None, **key} for key in trust["keys"]]
        yield {"name": name, "document": document, **trust, "keys": keys, "problem": problem}


def make():
    vectors = {
        "identifiers": [{"text": text, "id": parsed} for text, parsed in IDENTIFIERS.items()],
        "addresses": [{"text": text, "address": parsed} for text, parsed in ADDRESSES.items()],
        "messages": [{"name": name, **MESSAGE, **changes, "text": text} for name, changes, text in MESSAGES],
        "errors": [{"status": status, "body": body, "kind": kind, "isRetryable": retryable} for status, body, kind, retryable in ERRORS],
        "directory": [{"query": query, "path": path} for query, path in DIRECTORY],
        "statements": list(statements()),
    }
    return json.dumps(vectors, indent=1, ensure_ascii=True) + "\n"


if __name__ == "__main__":
    text = make()
    if sys.argv[1:] == ["--check"]:
        sys.exit(0 if VECTORS.read_text() == text else 1)
    VECTORS.write_text(text)
