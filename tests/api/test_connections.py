"""Many clients that are slow: the service answers the others."""

import contextlib
import errno
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from masis.api import connections
from masis.api.app import _waiting_at, create_app, server_for
from masis.settings import Settings
from tests.api.live import Live, serving
from tests.support.waiting import wait_until

HEAD = b"POST /masis/workspaces HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
BODY = HEAD + b"Content-Length: 900\r\n\r\n{"
ASKED = b"GET /masis/workspaces HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
ALIVE = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
MOST, OF_ONE = 20, 12
WHILE = 0.5


@pytest.fixture
def crowded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Live]:
    monkeypatch.setattr(connections, "MOST_CONNECTIONS", MOST)
    monkeypatch.setattr(connections, "MOST_WAITING", OF_ONE)
    monkeypatch.setattr(connections, "SHORT_WHILE", WHILE)
    with serving(Settings(home=tmp_path), with_worker=False) as service:
        yield service


@pytest.fixture
def clients() -> Iterator[contextlib.ExitStack]:
    with contextlib.ExitStack() as stack:
        yield stack


def opened(service: Live, clients: contextlib.ExitStack, sent: bytes, address: str = "127.0.0.1") -> socket.socket:
    place = ("127.0.0.1", service.port)
    client = clients.enter_context(socket.create_connection(place, timeout=60, source_address=(address, 0)))
    client.sendall(sent)
    return client


def status(client: socket.socket) -> int:
    return int(client.recv(1000).split()[1])


def is_open(client: socket.socket) -> bool:
    client.setblocking(False)
    try:
        client.recv(1, socket.MSG_PEEK)  # an answer, or the end of the connection
    except OSError as error:
        return isinstance(error, BlockingIOError)
    return False


@pytest.mark.parametrize("sent", [BODY, HEAD, b""], ids=["body", "head", "nothing"])
def test_slow_requests_of_many_addresses_keep_nobody_out(
    crowded: Live, clients: contextlib.ExitStack, sent: bytes
) -> None:
    slow = [opened(crowded, clients, sent, f"127.0.0.{2 + number % 7}") for number in range(3 * MOST)]
    time.sleep(WHILE)

    def are_thinned_out() -> bool:
        assert status(opened(crowded, clients, ALIVE)) == status(opened(crowded, clients, ASKED)) == 200
        return sum(map(is_open, slow)) <= MOST

    wait_until(are_thinned_out)


def test_the_oldest_of_the_address_with_the_most_of_them_go_first(crowded: Live, clients: contextlib.ExitStack) -> None:
    honest = opened(crowded, clients, BODY, "127.0.0.9")
    slow = [opened(crowded, clients, BODY, "127.0.0.2") for _ in range(3 * MOST)]
    time.sleep(WHILE)

    def are_thinned_out() -> bool:
        time.sleep(WHILE)
        slow.append(opened(crowded, clients, BODY, "127.0.0.2"))
        return sum(map(is_open, slow)) <= OF_ONE

    wait_until(are_thinned_out)
    wait_until(lambda: sum(map(is_open, slow)) == OF_ONE)
    assert [is_open(client) for client in slow] == [False] * (len(slow) - OF_ONE) + [True] * OF_ONE
    assert is_open(honest)


def test_what_has_arrived_is_not_closed_for_others_and_too_much_of_it_is_refused(
    crowded: Live, clients: contextlib.ExitStack
) -> None:
    with crowded.client() as client:
        client.post("/masis/workspaces", json={"name": "acme"}).raise_for_status()
        run = client.post("/masis/workspaces/acme/runs", json={"query": "Why?"}).headers["location"]
    following = [
        opened(crowded, clients, f"GET {run}/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode()) for _ in range(MOST)
    ]
    assert [status(client) for client in following] == [200] * MOST
    assert status(opened(crowded, clients, ASKED)) == 503
    assert status(opened(crowded, clients, ALIVE)) == 200


def test_a_body_that_comes_byte_by_byte_is_cut_off(tmp_path: Path, clients: contextlib.ExitStack) -> None:
    with serving(Settings(home=tmp_path, request_seconds=0.3), with_worker=False) as service:
        client = opened(service, clients, HEAD + b"Content-Length: 80\r\n\r\n{")
        for _ in range(60):
            time.sleep(0.1)
            if not is_open(client):
                break
            client.send(b" ")
        client.settimeout(20)
        assert client.recv(1000).startswith(b"HTTP/1.1 408")


def test_a_client_that_does_not_read_its_responses_is_given_up(tmp_path: Path, clients: contextlib.ExitStack) -> None:
    with serving(Settings(home=tmp_path, request_seconds=0.3), with_worker=False) as service:
        with service.client() as client:
            size = len(client.get("/openapi.json").content)
        asked = 60_000_000 // size
        slow = clients.enter_context(socket.socket())
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
        slow.connect(("127.0.0.1", service.port))
        slow.sendall(b"GET /openapi.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * asked)
        time.sleep(2)  # as much as the system buffers for it is on its way
        received = 0
        slow.settimeout(20)
        with contextlib.suppress(ConnectionResetError):
            while part := slow.recv(1 << 20):
                received += len(part)
        assert received < asked * size / 2


class FailingSocket(socket.socket):
    """Says these errors before it lets anybody in."""

    def __init__(self, *errors: int) -> None:
        super().__init__()
        self._errors = list(errors)
        self.bind(("127.0.0.1", 0))
        self.listen()

    def accept(self) -> tuple[socket.socket, object]:
        if self._errors:
            raise OSError(self._errors.pop(0), "cannot accept")
        return super().accept()


@pytest.mark.parametrize("error", [errno.EMFILE, errno.ECONNABORTED])
def test_a_service_that_cannot_accept_any_more_is_shut_down_all_the_same(tmp_path: Path, error: int) -> None:
    settings = Settings(home=tmp_path, drain_seconds=0)
    server = server_for(create_app(settings, with_worker=False), settings, "127.0.0.1", 0)
    place = FailingSocket(error)
    thread = threading.Thread(target=server.run, args=([place],))
    thread.start()
    wait_until(lambda: server.started or not thread.is_alive())
    server.should_exit = True
    thread.join(60)
    assert place.fileno() == -1, "what shutting down does has not begun"


def test_who_stands_behind_a_client_that_has_gone_is_let_in() -> None:
    with FailingSocket(errno.ECONNABORTED) as place, socket.create_connection(place.getsockname()) as client:
        [met] = _waiting_at(place)
        with met:
            assert met.getpeername() == client.getsockname()
