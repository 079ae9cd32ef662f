"""Reads of the service: `Client` for synchronous and `AsyncClient` for asynchronous programs. Errors are `ServiceError`."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import asdict, dataclass, replace
from types import TracebackType
from typing import Any, Generic, Self, TypeVar
from urllib.parse import urlencode

import httpx

from .errors import ServiceError, to_service_error
from .identifiers import DEFAULT_METHOD, format_machine_did, parse_address, parse_machine_key
from .responses import (
    Card,
    Change,
    ChangePage,
    Directory,
    DirectorySummary,
    EventListing,
    Explanation,
    Fleet,
    History,
    McrRecord,
    MonetizationState,
    Profile,
    PublishedDeployment,
    Statement,
    StatementDirectory,
    Status,
    VerifyRecord,
)

T = TypeVar("T")

MachineKey = int | str
_PAGE_SIZE = 20
_TIMEOUT_SECONDS = 30.0
# The service sends something every 15 seconds. A stream that is silent for longer has lost its connection.
_STREAM_TIMEOUT = httpx.Timeout(_TIMEOUT_SECONDS, read=45.0)


@dataclass(frozen=True)
class Block:
    """The block of the main chain that a response was computed at, and its age."""

    number: int
    age_seconds: int


@dataclass(frozen=True)
class Reply(Generic[T]):
    """A response, and its block where the service names one."""

    value: T
    block: Block | None


@dataclass(frozen=True)
class _Read(Generic[T]):
    """One request, and whether a body is a response to it."""

    path: str
    is_expected: Callable[[Any], bool]
    statuses: tuple[int, ...] = (200,)

    def parse(self, response: httpx.Response) -> Reply[T]:
        if response.status_code in self.statuses:
            body = _read_body(response)
            if not isinstance(body, dict) or not self.is_expected(body):
                raise ServiceError("unexpected-response", "not a response to this request", response.status_code)
            return Reply(body, _parse_block(response.headers))  # type: ignore[arg-type]
        raise _to_error(response)


def _read_body(response: httpx.Response) -> Any:
    try:
        return response.json()
    except ValueError:
        return None


def _to_error(response: httpx.Response) -> ServiceError:
    return to_service_error(response.status_code, _read_body(response), response.headers.get("retry-after"))


@dataclass(frozen=True)
class DirectoryQuery:
    """Selects machines. A tuple selects any of its values; what is left out selects all.

    `active_since` is in Unix seconds. `sort` is a key such as `score`; with `-` before it the largest comes first. `after` is
    `next` of the previous page in the same order.
    """

    rating: tuple[str, ...] = ()
    bond: tuple[str, ...] = ()
    flag: tuple[str, ...] = ()
    kyb: tuple[str, ...] = ()
    chip: tuple[str, ...] = ()
    opt_in: tuple[str, ...] = ()
    home: tuple[str, ...] = ()
    operator: str | None = None
    owner: str | None = None
    active_since: int | None = None
    sort: str | None = None
    after: str | None = None
    limit: int | None = None

    def _path(self) -> str:
        given = {name: value for name, value in asdict(self).items() if value not in (None, ())}
        texts = {name: ",".join(value) if isinstance(value, tuple) else value for name, value in given.items()}
        return "/directory" + (f"?{urlencode(sorted(texts.items()))}" if texts else "")


@dataclass(frozen=True)
class ChangeQuery:
    """Selects changes. `after` is the cursor to begin after, and `kinds` such as `rating`; what is left out selects all.

    Without `after` a page begins with the oldest stored change, and a stream with the next change.
    """

    after: int | None = None
    kinds: tuple[str, ...] = ()

    def _path(self, route: str, limit: int | None = None) -> str:
        given = {"after": self.after, "kinds": ",".join(self.kinds) or None, "limit": limit}
        query = urlencode({name: value for name, value in given.items() if value is not None})
        return route + (f"?{query}" if query else "")


class _ChangeParser:
    """Parses a stream of server-sent events, line by line."""

    def __init__(self) -> None:
        self._name = ""
        self._data: list[str] = []

    def feed(self, line: str) -> Change | None:
        """Returns the change that the line completes."""
        if line:
            field, _, value = line.partition(":")
            if field == "event":
                self._name = value.removeprefix(" ")
            elif field == "data":
                self._data.append(value.removeprefix(" "))
            return None
        name, text = self._name, "\n".join(self._data)
        self._name, self._data = "", []
        if name != "change":
            return None
        try:
            change = json.loads(text)
        except ValueError:
            change = None
        if not isinstance(change, dict) or not isinstance(change.get("cursor"), int):
            raise ServiceError("unexpected-response", "not a change", 200)
        return change  # type: ignore[return-value]


def _parse_block(headers: httpx.Headers) -> Block | None:
    number, age = headers.get("chain-block", ""), headers.get("chain-block-age", "")
    is_named = number.isascii() and number.isdigit() and age.isascii() and age.isdigit()
    return Block(int(number), int(age)) if is_named else None


class _Reads:
    """Builds the requests that both clients send. `method` is the DID method of the deployment."""

    def __init__(self, method: str) -> None:
        self.method = method

    def _of_machine(self, machine: MachineKey, path: str, member: str, text: Callable[[int], str]) -> _Read[Any]:
        machine_id = parse_machine_key(machine, self.method)
        if machine_id is None:
            raise ServiceError("invalid-argument", "not a machine id or DID")
        did, expected = format_machine_did(machine_id, self.method), text(machine_id)
        return _Read(path.format(id=machine_id, did=did), lambda body: body.get(member) == expected)

    def rating(self, machine: MachineKey) -> _Read[McrRecord]:
        return self._of_machine(machine, "/mcr/{did}", "machine_id", str)

    def explanation(self, machine: MachineKey) -> _Read[Explanation]:
        return self._of_machine(machine, "/mcr/{did}/explanation", "machine_id", str)

    def history(self, machine: MachineKey) -> _Read[History]:
        return self._of_machine(machine, "/mcr/{did}/history", "machine_id", str)

    def profile(self, machine: MachineKey) -> _Read[Profile]:
        return self._of_machine(machine, "/machine/{did}", "name", lambda machine_id: f"Machine #{machine_id}")

    def card(self, machine: MachineKey) -> _Read[Card]:
        return self._of_machine(machine, "/machines/{id}", "did", lambda id_: format_machine_did(id_, self.method))

    def events(self, machine: MachineKey, cursor: int | None, limit: int) -> _Read[EventListing]:
        query = f"?limit={limit}" if cursor is None else f"?cursor={cursor}&limit={limit}"
        return self._of_machine(machine, "/machines/{id}/events" + query, "machine_id", str)

    def verification(self, machine: MachineKey) -> _Read[VerifyRecord]:
        return self._of_machine(machine, "/v1/verify/machines/{id}", "machineId", str)

    def monetization(self, machine: MachineKey) -> _Read[MonetizationState]:
        return self._of_machine(machine, "/machine/{did}/monetization", "machine_id", str)

    def statement(self, machine: MachineKey) -> _Read[Statement]:
        machine_id = parse_machine_key(machine, self.method)
        read = self._of_machine(machine, "/mcr/{did}/statement", "machine_id", str)
        return _Read(read.path, lambda body: (body.get("statement") or {}).get("machineId") == str(machine_id))

    def fleet(self, operator: str, offset: int, limit: int) -> _Read[Fleet]:
        address = parse_address(operator, self.method)
        if address is None:
            raise ServiceError("invalid-argument", "not an address or address DID")
        did = f"did:{self.method}:{address}"
        return _Read(
            f"/operator/{did}/machines?offset={offset}&limit={limit}",
            lambda body: str(body.get("operator_did")).lower() == did.lower(),
        )

    def directory(self, query: DirectoryQuery) -> _Read[Directory]:
        return _Read(query._path(), lambda body: "machines" in body and "next" in body)

    def changes(self, query: ChangeQuery, limit: int) -> _Read[ChangePage]:
        return _Read(query._path("/changes", limit), lambda body: "changes" in body and isinstance(body.get("next"), int))

    directory_summary: _Read[DirectorySummary] = _Read("/directory/summary", lambda body: "counts" in body)
    deployment: _Read[PublishedDeployment] = _Read("/.well-known/svc-monetization", lambda body: "registry" in body)
    statement_keys: _Read[StatementDirectory] = _Read("/.well-known/svc-statements", lambda body: "keys" in body)
    status: _Read[Status] = _Read("/status", lambda body: "status" in body, (200, 503))


class Client:
    """Reads the service. Use it as a context manager, or call `close`.

    Machines are named by decimal id, as text or int, or by DID. Every read raises `ServiceError`.
    """

    def __init__(
        self,
        base_url: str,
        *,
        method: str = DEFAULT_METHOD,
        timeout: float = _TIMEOUT_SECONDS,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self._reads = _Reads(method)
        self._base_url = base_url.rstrip("/")
        self._http = httpx.Client(timeout=timeout, transport=transport, follow_redirects=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes its connections."""
        self._http.close()

    def _send(self, read: _Read[T]) -> Reply[T]:
        try:
            return read.parse(self._http.get(self._base_url + read.path))
        except httpx.HTTPError as error:
            raise ServiceError("unreachable", type(error).__name__) from error

    def get_rating(self, machine: MachineKey) -> Reply[McrRecord]:
        """Reads the rating."""
        return self._send(self._reads.rating(machine))

    def get_explanation(self, machine: MachineKey) -> Reply[Explanation]:
        """Reads the rating, and where every point of it comes from."""
        return self._send(self._reads.explanation(machine))

    def get_history(self, machine: MachineKey) -> Reply[History]:
        """Reads rating and revenue of each of the last 365 days."""
        return self._send(self._reads.history(machine))

    def get_profile(self, machine: MachineKey) -> Reply[Profile]:
        """Reads the profile."""
        return self._send(self._reads.profile(machine))

    def get_card(self, machine: MachineKey) -> Reply[Card]:
        """Reads the card."""
        return self._send(self._reads.card(machine))

    def list_events(self, machine: MachineKey, *, cursor: int | None = None, limit: int = 20) -> Reply[EventListing]:
        """Reads a page of events, newest first. `cursor` is the `next_cursor` of the previous page."""
        return self._send(self._reads.events(machine, cursor, limit))

    def get_verification(self, machine: MachineKey) -> Reply[VerifyRecord]:
        """Reads the KYB status of the operator and the status of the chip, which are independent."""
        return self._send(self._reads.verification(machine))

    def get_monetization(self, machine: MachineKey) -> Reply[MonetizationState]:
        """Reads the opt-in decision in force."""
        return self._send(self._reads.monetization(machine))

    def get_deployment(self) -> Reply[PublishedDeployment]:
        """Reads the deployment that opt-in decisions are signed for."""
        return self._send(self._reads.deployment)

    def get_statement(self, machine: MachineKey) -> Reply[Statement]:
        """Reads the rating as a signed statement, which is not verified yet: see `svcos_client.statements`."""
        return self._send(self._reads.statement(machine))

    def get_statement_keys(self) -> Reply[StatementDirectory]:
        """Reads all keys that sign or ever signed statements."""
        return self._send(self._reads.statement_keys)

    def get_status(self) -> Reply[Status]:
        """Reads how far the indexes of the service are behind their chains."""
        return self._send(self._reads.status)

    def list_directory(self, query: DirectoryQuery = DirectoryQuery()) -> Reply[Directory]:
        """Reads a page of the machines of the deployment, as they were last observed."""
        return self._send(self._reads.directory(query))

    def iterate_directory(self, query: DirectoryQuery = DirectoryQuery()) -> Iterator[Reply[Directory]]:
        """Reads page after page to the end."""
        while True:
            page = self.list_directory(query)
            yield page
            if (after := page.value["next"]) is None:
                return
            query = replace(query, after=after)

    def get_directory_summary(self) -> Reply[DirectorySummary]:
        """Reads the numbers of machines by rating, bond, flag, verification, opt-in and home."""
        return self._send(self._reads.directory_summary)

    def list_changes(self, query: ChangeQuery = ChangeQuery(), *, limit: int = 100) -> Reply[ChangePage]:
        """Reads a page of changes, oldest first. To follow them, store `next` and pass it as `after`."""
        return self._send(self._reads.changes(query, limit))

    def stream_changes(self, query: ChangeQuery = ChangeQuery()) -> Iterator[Change]:
        """Yields changes as they are observed, until the service closes the stream.

        To continue after that or after a `ServiceError`, pass the cursor of the last change as `after`.
        """
        parser = _ChangeParser()
        url = self._base_url + query._path("/changes/stream")
        try:
            with self._http.stream("GET", url, timeout=_STREAM_TIMEOUT) as response:
                if response.status_code != 200:
                    response.read()
                    raise _to_error(response)
                for line in response.iter_lines():
                    if (change := parser.feed(line)) is not None:
                        yield change
        except httpx.HTTPError as error:
            raise ServiceError("unreachable", type(error).__name__) from error

    def list_fleet(self, operator: str, *, offset: int = 0, limit: int = _PAGE_SIZE) -> Reply[Fleet]:
        """Reads a page of the machines of an operator: an address or its DID."""
        return self._send(self._reads.fleet(operator, offset, limit))

    def iterate_fleet(self, operator: str) -> Iterator[Reply[Fleet]]:
        """Reads page after page. While a fleet changes, a machine may appear twice or not at all."""
        offset = 0
        while True:
            page = self.list_fleet(operator, offset=offset)
            yield page
            offset += _PAGE_SIZE
            if offset >= page.value["pagination"]["total"]:
                return


class AsyncClient:
    """Reads the service with `await`. Its reads are those of `Client`."""

    def __init__(
        self,
        base_url: str,
        *,
        method: str = DEFAULT_METHOD,
        timeout: float = _TIMEOUT_SECONDS,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._reads = _Reads(method)
        self._base_url = base_url.rstrip("/")
        self._http = httpx.AsyncClient(timeout=timeout, transport=transport, follow_redirects=False)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes its connections."""
        await self._http.aclose()

    async def _send(self, read: _Read[T]) -> Reply[T]:
        try:
            return read.parse(await self._http.get(self._base_url + read.path))
        except httpx.HTTPError as error:
            raise ServiceError("unreachable", type(error).__name__) from error

    async def get_rating(self, machine: MachineKey) -> Reply[McrRecord]:
        """Reads the rating."""
        return await self._send(self._reads.rating(machine))

    async def get_explanation(self, machine: MachineKey) -> Reply[Explanation]:
        """Reads the rating, and where every point of it comes from."""
        return await self._send(self._reads.explanation(machine))

    async def get_history(self, machine: MachineKey) -> Reply[History]:
        """Reads rating and revenue of each of the last 365 days."""
        return await self._send(self._reads.history(machine))

    async def get_profile(self, machine: MachineKey) -> Reply[Profile]:
        """Reads the profile."""
        return await self._send(self._reads.profile(machine))

    async def get_card(self, machine: MachineKey) -> Reply[Card]:
        """Reads the card."""
        return await self._send(self._reads.card(machine))

    async def list_events(
        self, machine: MachineKey, *, cursor: int | None = None, limit: int = 20
    ) -> Reply[EventListing]:
        """Reads a page of events, newest first. `cursor` is the `next_cursor` of the previous page."""
        return await self._send(self._reads.events(machine, cursor, limit))

    async def get_verification(self, machine: MachineKey) -> Reply[VerifyRecord]:
        """Reads the KYB status of the operator and the status of the chip, which are independent."""
        return await self._send(self._reads.verification(machine))

    async def get_monetization(self, machine: MachineKey) -> Reply[MonetizationState]:
        """Reads the opt-in decision in force."""
        return await self._send(self._reads.monetization(machine))

    async def get_deployment(self) -> Reply[PublishedDeployment]:
        """Reads the deployment that opt-in decisions are signed for."""
        return await self._send(self._reads.deployment)

    async def get_statement(self, machine: MachineKey) -> Reply[Statement]:
        """Reads the rating as a signed statement, which is not verified yet: see `svcos_client.statements`."""
        return await self._send(self._reads.statement(machine))

    async def get_statement_keys(self) -> Reply[StatementDirectory]:
        """Reads all keys that sign or ever signed statements."""
        return await self._send(self._reads.statement_keys)

    async def get_status(self) -> Reply[Status]:
        """Reads how far the indexes of the service are behind their chains."""
        return await self._send(self._reads.status)

    async def list_directory(self, query: DirectoryQuery = DirectoryQuery()) -> Reply[Directory]:
        """Reads a page of the machines of the deployment, as they were last observed."""
        return await self._send(self._reads.directory(query))

    async def iterate_directory(self, query: DirectoryQuery = DirectoryQuery()) -> AsyncIterator[Reply[Directory]]:
        """Reads page after page to the end."""
        while True:
            page = await self.list_directory(query)
            yield page
            if (after := page.value["next"]) is None:
                return
            query = replace(query, after=after)

    async def get_directory_summary(self) -> Reply[DirectorySummary]:
        """Reads the numbers of machines by rating, bond, flag, verification, opt-in and home."""
        return await self._send(self._reads.directory_summary)

    async def list_changes(self, query: ChangeQuery = ChangeQuery(), *, limit: int = 100) -> Reply[ChangePage]:
        """Reads a page of changes, oldest first. To follow them, store `next` and pass it as `after`."""
        return await self._send(self._reads.changes(query, limit))

    async def stream_changes(self, query: ChangeQuery = ChangeQuery()) -> AsyncIterator[Change]:
        """Yields changes as they are observed, until the service closes the stream.

        To continue after that or after a `ServiceError`, pass the cursor of the last change as `after`.
        """
        parser = _ChangeParser()
        url = self._base_url + query._path("/changes/stream")
        try:
            async with self._http.stream("GET", url, timeout=_STREAM_TIMEOUT) as response:
                if response.status_code != 200:
                    await response.aread()
                    raise _to_error(response)
                async for line in response.aiter_lines():
                    if (change := parser.feed(line)) is not None:
                        yield change
        except httpx.HTTPError as error:
            raise ServiceError("unreachable", type(error).__name__) from error

    async def list_fleet(self, operator: str, *, offset: int = 0, limit: int = _PAGE_SIZE) -> Reply[Fleet]:
        """Reads a page of the machines of an operator: an address or its DID."""
        return await self._send(self._reads.fleet(operator, offset, limit))

    async def iterate_fleet(self, operator: str) -> AsyncIterator[Reply[Fleet]]:
        """Reads page after page. While a fleet changes, a machine may appear twice or not at all."""
        offset = 0
        while True:
            page = await self.list_fleet(operator, offset=offset)
            yield page
            offset += _PAGE_SIZE
            if offset >= page.value["pagination"]["total"]:
                return
