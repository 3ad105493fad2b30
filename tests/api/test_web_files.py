"""The page's own files: right types, careful headers, and nothing else of the machine."""

from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI

from masis.access.keys import Keys
from masis.api.app import create_app
from masis.api.routes import web_files
from masis.settings import Settings

FILES = {
    "index.html": "<!doctype html><title>MASIS</title>",
    "static/js/app.js": "export {};",
    "static/css/page.css": "body { margin: 0 }",
    "static/css/page.0123abcd.css": "body { margin: 0 }",
    "static/vendor/preact.module.js": "export {};",
    "static/icon.svg": "<svg xmlns='http://www.w3.org/2000/svg'/>",
    "static/.hidden.js": "no",
    "static/notes.sqlite": "no",
    "secret.js": "no",
}


@pytest.fixture
def web(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "vendor" / "web"
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    (folder / "static" / "link.js").symlink_to(folder / "secret.js")
    monkeypatch.setattr(web_files, "WEB", folder)
    return folder


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> FastAPI:
    return create_app(Settings(home=tmp_path_factory.mktemp("home")), with_worker=False)


@pytest.fixture
async def client(app: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        yield client


@pytest.mark.parametrize(
    "path", ["/", "/sign-in", "/settings", "/w/acme/ask", "/w/acme/runs/5f0c", "/w/acme/documents/ab"]
)
async def test_every_address_of_the_page_is_the_page(web: Path, client: httpx.AsyncClient, path: str) -> None:
    answer = await client.get(path)
    assert (answer.status_code, answer.text) == (200, FILES["index.html"])
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["cache-control"] == "no-cache"


@pytest.mark.parametrize(
    ("path", "media_type", "caching"),
    [
        ("/static/js/app.js", "text/javascript; charset=utf-8", "no-cache"),
        ("/static/css/page.css", "text/css; charset=utf-8", "no-cache"),
        ("/static/css/page.0123abcd.css", "text/css; charset=utf-8", "public, max-age=31536000, immutable"),
        ("/static/vendor/preact.module.js", "text/javascript; charset=utf-8", "public, max-age=604800"),
        ("/static/icon.svg", "image/svg+xml", "no-cache"),
    ],
)
async def test_files_have_their_type_and_are_kept_as_long_as_is_safe(
    web: Path, client: httpx.AsyncClient, path: str, media_type: str, caching: str
) -> None:
    answer = await client.get(path)
    assert answer.text == FILES[path[1:]]
    assert (answer.headers["content-type"], answer.headers["cache-control"]) == (media_type, caching)


@pytest.mark.parametrize("path", ["/", "/static/js/app.js"])
async def test_the_page_may_load_its_own_files_only_and_sit_in_no_frame(
    web: Path, client: httpx.AsyncClient, path: str
) -> None:
    first = await client.get(path)
    again = await client.get(path, headers={"If-None-Match": f'"other", W/{first.headers["etag"]}'})
    assert (again.status_code, again.content) == (304, b"")
    for answer in (first, again):
        policy = dict(part.split(" ", 1) for part in answer.headers["content-security-policy"].split("; "))
        assert policy.pop("default-src") == policy.pop("base-uri") == policy.pop("frame-ancestors") == "'none'"
        assert set(policy.values()) == {"'self'"}
        assert policy.keys() >= {"script-src", "style-src", "img-src", "connect-src", "font-src", "form-action"}
        assert answer.headers["x-frame-options"] == "DENY"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"


async def test_a_changed_file_has_another_tag(web: Path, client: httpx.AsyncClient) -> None:
    before = await client.get("/static/js/app.js")
    (web / "static/js/app.js").write_text("export const changed = 1;")
    after = await client.get("/static/js/app.js", headers={"If-None-Match": before.headers["etag"]})
    assert (after.status_code, after.text) == (200, "export const changed = 1;")


@pytest.mark.parametrize(
    "path",
    [
        *(
            "../secret.js",
            "..%2fsecret.js",
            "%2e%2e/secret.js",
            "js/../../secret.js",
            "/etc/passwd",
            "js%5c..%5capp.js",
        ),
        *(
            ".hidden.js",
            "notes.sqlite",
            "link.js",
            "js",
            "",
            "js/",
            "js//app.js",
            "nowhere.js",
            "app%00.js",
            "x" * 5000,
        ),
    ],
)
async def test_nothing_but_the_pages_files_is_given(web: Path, client: httpx.AsyncClient, path: str) -> None:
    url = httpx.URL("http://localhost").copy_with(raw_path=b"/static/" + path.encode())
    answer = await client.get(url)
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


async def test_the_page_is_there_for_who_has_not_signed_in_yet(web: Path, tmp_path: Path) -> None:
    settings = Settings(home=tmp_path / "locked")
    Keys(settings).create("Ada", "read", ["acme"])
    transport = httpx.ASGITransport(create_app(settings, with_worker=False))
    async with httpx.AsyncClient(transport=transport, base_url="http://masis.example") as client:
        assert (await client.get("/sign-in")).status_code == 200
        assert (await client.get("/static/js/app.js")).status_code == 200
        assert (await client.post("/")).headers["allow"] == "GET, HEAD"


async def test_without_the_page_the_service_works(
    client: httpx.AsyncClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(web_files, "WEB", tmp_path / "nowhere")
    for path in ("/", "/static/js/app.js"):
        assert (await client.get(path)).status_code == 404
    assert (await client.get("/masis/me")).status_code == 200


async def test_the_page_that_is_installed_is_given(client: httpx.AsyncClient) -> None:
    page = await client.get("/")
    assert page.status_code == 200
    assert "<script>" not in page.text
    assert "style=" not in page.text
