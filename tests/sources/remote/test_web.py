"""Files over HTTP and WebDAV from real servers, pages by sitemap, and what the service must never reach."""

import http.server
import os
import shutil
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from masis.errors import Forbidden, MASISError, SourceUnavailable, UnreadableFile
from masis.sources.remote import web
from masis.sources.remote.listing import Listing, is_on_command
from tests.support.nginx import files_served
from tests.support.servers import free_port

Look = Callable[..., Listing]
NAMES = ["one.md", "sub folder/zwei ü.txt"]


def contents(listing: Listing) -> dict[str, bytes]:
    return {file.name: file.read() for file in listing.files}


@pytest.fixture
def nginx(tmp_path: Path) -> Path:
    folder = tmp_path / "nginx"
    folder.mkdir()
    return folder


def test_a_folder_that_a_server_lists(nginx: Path, files: Path, listing_of: Look) -> None:
    with files_served(nginx, files) as address:
        first = listing_of(address)
        assert contents(first) == {name: (files / name).read_bytes() for name in NAMES}
        (files / "one.md").write_text("# One\n\nThe first file has changed.\n")
        again = listing_of(address)
        assert [a.version == b.version for a, b in zip(first.files, again.files, strict=True)] == [False, True]
        one = listing_of(f"{address}one.md")
        assert (one.files[0].name, one.files[0].place) == ("one.md", f"{address}one.md")
        with pytest.raises(SourceUnavailable, match="404"):
            listing_of(f"{address}missing.md")
        with pytest.raises(UnreadableFile, match="larger"):
            listing_of(address, max_file_bytes=10).files[0].read()
    with pytest.raises(SourceUnavailable):
        listing_of(address)


def test_over_tls_the_name_is_checked_though_the_address_is_connected_to(
    nginx: Path, files: Path, listing_of: Look, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost"
    certificate = (nginx / "c.pem", nginx / "k.pem")
    made = ["openssl", *words.split(), "-out", str(certificate[0]), "-keyout", str(certificate[1])]
    subprocess.run(made, check=True, capture_output=True)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
    monkeypatch.setattr(web, "is_public", lambda _: True)
    with files_served(nginx, files, certificate) as address:
        assert len(listing_of(address).files) == 2
        assert len(listing_of(address, is_trusted=False).files) == 2
        with pytest.raises(SourceUnavailable, match="certificate"):
            listing_of(address.replace("localhost", "127.0.0.1"), is_trusted=False)


@pytest.fixture
def dav(files: Path) -> Iterator[str]:
    pytest.importorskip("wsgidav")
    from cheroot import wsgi
    from wsgidav.wsgidav_app import WsgiDAVApp

    port = free_port()
    options: dict[str, Any] = {
        "provider_mapping": {"/": str(files)},
        "http_authenticator": {"accept_basic": True, "accept_digest": False, "default_to_digest": False},
        "simple_dc": {"user_mapping": {"*": {"ada": {"password": "secret"}}}},
        "logging": {"enable": False},
        "verbose": 0,
    }
    server = wsgi.Server(("127.0.0.1", port), WsgiDAVApp(options))
    server.prepare()
    thread = threading.Thread(target=server.serve, daemon=True)
    thread.start()
    yield f"webdav+http://127.0.0.1:{port}"
    server.stop()
    thread.join()


@pytest.mark.filterwarnings("ignore")
def test_a_webdav_collection_with_a_password_from_netrc(
    dav: str, files: Path, listing_of: Look, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(SourceUnavailable, match="401"):
        listing_of(dav)
    (tmp_path / ".netrc").write_text("machine 127.0.0.1 login ada password secret\n")
    (tmp_path / ".netrc").chmod(0o600)
    first = listing_of(dav)
    assert contents(first) == {name: (files / name).read_bytes() for name in NAMES}
    assert [file.place for file in first.files] == [f"{dav}/{name}" for name in NAMES]
    (files / "one.md").write_text("another text, longer")
    os.utime(files / "one.md", (1, 1))
    again = listing_of(dav)
    assert [a.version == b.version for a, b in zip(first.files, again.files, strict=True)] == [False, True]
    assert [file.name for file in listing_of(f"{dav}/sub%20folder").files] == ["zwei ü.txt"]
    with pytest.raises(SourceUnavailable):
        listing_of(f"{dav}/nowhere")


@contextmanager
def answering(answers: dict[str, tuple[int, dict[str, str], bytes]]) -> Iterator[tuple[str, list[str]]]:
    """A server with these answers, and what it was asked."""
    asked: list[str] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(f"{self.command} {self.path}")
            status, headers, body = answers.get(self.path, (404, {}, b""))
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(body)

        do_HEAD = do_GET

        def log_message(self, *_: object) -> None: ...

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", asked
        server.shutdown()


def test_the_pages_of_a_sitemap_as_far_as_robots_may_read_them(listing_of: Look) -> None:
    answers: dict[str, tuple[int, dict[str, str], bytes]] = {}
    with answering(answers) as (site, asked):
        entries = [("about", "<lastmod>2024-01-01</lastmod>"), ("private/x", ""), ("news", ""), ("", "")]
        urls = "".join(f"<url><loc>{site}/{path}</loc>{more}</url>" for path, more in entries)
        elsewhere = "<url><loc>http://elsewhere.example/x</loc></url>"
        head = '<?xml version="1.0"?><{0} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{1}</{0}>'
        index = head.format("sitemapindex", f"<sitemap><loc>{site}/sitemap-1.xml</loc></sitemap>")
        answers["/sitemap.xml"] = (200, {}, index.encode())
        answers["/sitemap-1.xml"] = (200, {}, head.format("urlset", urls + elsewhere).encode())
        answers["/robots.txt"] = (200, {}, b"User-agent: *\nDisallow: /private\nCrawl-delay: 0.01\n")
        answers["/about"] = (200, {"Content-Type": "text/html"}, b"<p>About us.</p>")
        answers["/news"] = (200, {"ETag": '"n1"'}, b"<p>News.</p>")
        found = listing_of(f"{site}/sitemap.xml")
        assert [file.name for file in found.files] == ["about.html", "news.html", "index.html"]
        assert [file.version for file in found.files] == ["2024-01-01", '"n1"-', ""]
        assert found.notes == ["1 page is not to be read by programs, as the site's robots.txt says."]
        assert found.files[0].read() == b"<p>About us.</p>"
        with pytest.raises(UnreadableFile, match="404"):
            found.files[2].read()
        few = listing_of(f"{site}/sitemap.xml", sync_max_pages=1)
        assert [file.name for file in few.files] == ["about.html"]
        assert not any("private" in each for each in asked)
        answers["/robots.txt"] = (503, {}, b"")
        assert listing_of(f"{site}/sitemap.xml").files == [], "a site that cannot say what it allows, allows nothing"
        answers["/sitemap.xml"] = (200, {}, b"<html>not a map")
        with pytest.raises(SourceUnavailable, match="not a sitemap"):
            listing_of(f"{site}/sitemap.xml")
    assert is_on_command(f"{site}/sitemap.xml")
    assert not is_on_command(f"{site}/maps/")


@pytest.mark.parametrize(
    ("address", "is_public"),
    [
        ("93.184.216.34", True),
        ("2606:2800:220:1::1", True),
        ("127.0.0.1", False),
        ("10.1.2.3", False),
        ("169.254.169.254", False),
        ("0.0.0.0", False),
        ("100.64.0.1", False),
        ("224.0.0.1", False),
        ("::1", False),
        ("fe80::1%eth0", False),
        ("fd00::1", False),
        ("::ffff:127.0.0.1", False),
        ("64:ff9b::7f00:1", False),
        ("2002:7f00:1::", False),
    ],
)
def test_which_addresses_are_public(address: str, is_public: bool) -> None:
    assert web.is_public(address) == is_public


def test_through_the_service_no_private_address_is_reached(listing_of: Look, monkeypatch: pytest.MonkeyPatch) -> None:
    with answering({"/x.md": (200, {}, b"secret")}) as (site, asked):
        port = site.rpartition(":")[2]
        for address in (
            site,
            f"http://localhost:{port}",
            f"http://[::ffff:127.0.0.1]:{port}",
            f"http://2130706433:{port}",
        ):
            with pytest.raises(MASISError, match=r"not a public address|not known|cannot be listed"):
                listing_of(f"{address}/x.md", is_trusted=False)
        assert asked == []
        assert len(listing_of(f"{site}/x.md", is_trusted=False, sync_allowed=site).files) == 1


def test_a_redirection_to_a_private_address_is_not_followed(listing_of: Look, monkeypatch: pytest.MonkeyPatch) -> None:
    with answering({"/secret": (200, {}, b"secret")}) as (inside, asked):
        with answering({"/x.md": (302, {"Location": f"{inside}/secret"}, b"")}) as (outside, _):
            inner = inside.rpartition(":")[2]
            monkeypatch.setattr(web, "is_public", lambda address: calls[-1] != inner)
            calls: list[str] = []
            real = socket.getaddrinfo

            def noted(host: Any, port: Any, *rest: Any, **more: Any) -> Any:
                calls.append(str(port))
                return real(host, port, *rest, **more)

            monkeypatch.setattr(socket, "getaddrinfo", noted)
            with pytest.raises(MASISError, match="not a public address"):
                listing_of(f"{outside}/x.md", is_trusted=False)
        assert asked == []


def test_a_name_that_changes_its_mind_is_connected_to_where_it_was_checked(
    listing_of: Look, monkeypatch: pytest.MonkeyPatch
) -> None:
    with answering({"/x.md": (200, {}, b"public")}) as (site, asked):
        port = int(site.rpartition(":")[2])
        real, answers = socket.getaddrinfo, iter(["127.0.0.1"])

        def rebinding(host: Any, *rest: Any, **more: Any) -> Any:
            # Public the first time it is asked; the second time it would be another machine.
            if host == "rebind.example":
                return real(next(answers), *rest, **more)
            return real(host, *rest, **more)

        monkeypatch.setattr(socket, "getaddrinfo", rebinding)
        monkeypatch.setattr(web, "is_public", lambda address: address == "127.0.0.1")
        found = listing_of(f"http://rebind.example:{port}/x.md", is_trusted=False)
        assert [file.name for file in found.files] == ["x.md"]
        assert asked == ["HEAD /x.md"]


def test_what_is_no_address_is_said(listing_of: Look) -> None:
    with pytest.raises(MASISError):
        listing_of("https://")
    assert shutil.which("openssl")
    with pytest.raises(Forbidden, match="may not be read"):
        listing_of("webdav://host/x", is_trusted=False)
