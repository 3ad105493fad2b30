import socket

import pytest

from masis.cli.serving import listening
from masis.errors import InvalidInput


def test_answers_do_not_wait_for_more_to_send() -> None:
    with listening("127.0.0.1", 0) as (place, address):
        port = place.getsockname()[1]
        assert address == f"http://127.0.0.1:{port}"
        with socket.create_connection(("127.0.0.1", port)), place.accept()[0] as accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_a_taken_port_is_said_in_words() -> None:
    with listening("127.0.0.1", 0) as (place, _):
        port = place.getsockname()[1]
        with pytest.raises(InvalidInput, match=str(port)), listening("127.0.0.1", port):
            pass
