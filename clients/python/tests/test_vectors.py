"""The Python client against the golden vectors that the clients of all languages share: `python -m unittest`."""

import asyncio
import json
import pathlib
import unittest

import httpx

from svcos_client import AltHome, AsyncClient, Client, Deployment, DirectoryQuery, ServiceError, format_decision_message
from svcos_client import parse_address, parse_machine_key
from svcos_client.statements import StatementKey, StatementRejected, StatementTrust, verify_statement

VECTORS = json.loads(
    (pathlib.Path(__file__).parents[3] / "test" / "vectors" / "clients" / "clients.json").read_text()
)


class Vectors(unittest.TestCase):
    def test_identifiers(self) -> None:
        for vector in VECTORS["identifiers"]:
            with self.subTest(vector["text"]):
                found = parse_machine_key(vector["text"])
                self.assertEqual(found, None if vector["id"] is None else int(vector["id"]))

    def test_machine_ids_of_other_types(self) -> None:
        for other in (1.0, True, None, b"1"):
            with self.subTest(other), self.assertRaises(TypeError):
                parse_machine_key(other)  # type: ignore[arg-type]

    def test_addresses(self) -> None:
        for vector in VECTORS["addresses"]:
            with self.subTest(vector["text"]):
                self.assertEqual(parse_address(vector["text"]), vector["address"])

    def test_messages(self) -> None:
        for vector in VECTORS["messages"]:
            with self.subTest(vector["name"]):
                try:
                    text = format_decision_message(
                        int(vector["machineId"]),
                        vector["optedIn"],
                        vector["timestamp"],
                        Deployment(vector["chainId"], vector["registry"]),
                        AltHome(vector["homeChain"]) if vector["homeChain"] else "main",
                    )
                except ValueError:
                    text = None
                self.assertEqual(text, vector["text"])

    def test_errors(self) -> None:
        for vector in VECTORS["errors"]:
            def respond(_: httpx.Request) -> httpx.Response:
                return httpx.Response(vector["status"], json=vector["body"])

            async def read() -> None:
                async with AsyncClient("https://svc.example", transport=httpx.MockTransport(respond)) as client:
                    await client.get_rating("42")

            with self.subTest(vector["body"]):
                with self.assertRaises(ServiceError) as failure:
                    Client("https://svc.example", transport=httpx.MockTransport(respond)).get_rating("42")
                found = (failure.exception.kind, failure.exception.is_retryable)
                self.assertEqual(found, (vector["kind"], vector["isRetryable"]))
                with self.assertRaises(ServiceError) as failure:
                    asyncio.run(read())
                self.assertEqual(failure.exception.kind, vector["kind"])

    def test_directory(self) -> None:
        for vector in VECTORS["directory"]:
            with self.subTest(vector["path"]):
                paths: list[str] = []

                def respond(request: httpx.Request) -> httpx.Response:
                    paths.append(request.url.raw_path.decode())
                    return httpx.Response(200, json={"machines": [], "next": None if len(paths) > 1 else "1.1"})

                async def read(query: DirectoryQuery) -> None:
                    async with AsyncClient("https://svc.example", transport=httpx.MockTransport(respond)) as client:
                        await client.list_directory(query)

                lists = {name: tuple(value) for name, value in vector["query"].items() if isinstance(value, list)}
                query = DirectoryQuery(**{**vector["query"], **lists})
                client = Client("https://svc.example", transport=httpx.MockTransport(respond))
                pages = list(client.iterate_directory(query))
                asyncio.run(read(query))
                self.assertEqual(len(pages), 2)
                self.assertEqual([paths[0], paths[2]], [vector["path"], vector["path"]])
                self.assertIn("after=1.1", paths[1])

    def test_another_machine(self) -> None:
        transport = httpx.MockTransport(lambda _: httpx.Response(200, json={"machine_id": "43"}))
        with self.assertRaises(ServiceError) as failure:
            Client("https://svc.example", transport=transport).get_rating(42)
        self.assertEqual(failure.exception.kind, "unexpected-response")

    def test_statements(self) -> None:
        for vector in VECTORS["statements"]:
            with self.subTest(vector["name"]):
                keys = [
                    StatementKey(key["address"], key["notBefore"], key["notAfter"], key["revokedAt"])
                    for key in vector["keys"]
                ]
                trust = StatementTrust(vector["chainId"], vector["registry"], keys)
                try:
                    verify_statement(vector["document"], trust, vector["now"])
                    problem = None
                except StatementRejected as rejected:
                    problem = rejected.problem
                self.assertEqual(problem, vector["problem"])


if __name__ == "__main__":
    unittest.main()
