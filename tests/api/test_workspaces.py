import httpx

from tests.api.live import uploads


def test_a_workspace_is_made_listed_and_deleted_with_a_receipt(client: httpx.Client) -> None:
    made = client.post("/masis/workspaces", json={"name": "fresh"})
    assert made.status_code == 201
    assert made.headers["location"] == "/masis/workspaces/fresh"
    assert client.get("/masis/workspaces/fresh").json()["documents"] == 0
    assert "fresh" in {each["workspace_id"] for each in client.get("/masis/workspaces").json()["items"]}
    receipt = client.delete("/masis/workspaces/fresh")
    assert receipt.status_code == 200
    assert receipt.json()["documents"] == 0
    assert client.get("/masis/workspaces/fresh").json()["code"] == "unknown_workspace"


def test_the_same_name_twice_is_a_conflict(client: httpx.Client) -> None:
    refused = client.post("/masis/workspaces", json={"name": "acme"})
    assert refused.status_code == 409
    assert refused.json()["code"] == "conflict"


def test_a_bad_name_is_refused_with_where_it_stands(client: httpx.Client) -> None:
    refused = client.post("/masis/workspaces", json={"name": "../etc"})
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["where"] == "body.name"


def test_deleting_takes_the_documents_along(client: httpx.Client) -> None:
    client.post("/masis/workspaces/going/documents?wait=true", files=uploads(**{"a.md": "Something to read."}))
    receipt = client.delete("/masis/workspaces/going").json()
    assert receipt["documents"] == 1
    assert receipt["file_names"] == ["a.md"]
    assert client.get("/masis/workspaces/going/documents").status_code == 404


def test_lists_come_in_pages_that_neither_repeat_nor_lose(client: httpx.Client) -> None:
    for name in ("page-a", "page-b", "page-c"):
        client.post("/masis/workspaces", json={"name": name})
    seen, cursor = [], None
    while True:
        page = client.get("/masis/workspaces", params={"limit": 2, **({"cursor": cursor} if cursor else {})}).json()
        seen += [each["workspace_id"] for each in page["items"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert seen == sorted(set(seen))
    assert {"acme", "page-a", "page-b", "page-c"} <= set(seen)


def test_what_questions_cost_is_listed_by_who_asked(client: httpx.Client) -> None:
    client.post("/masis/workspaces/acme", json={"query": "hello"}).raise_for_status()
    rows = client.get("/masis/workspaces/acme/usage").json()
    assert [row["asked_by"] for row in rows] == ["local"]
    assert rows[0]["runs"] >= 1
