"""A Qdrant server that lost what it held, while the database is there: one of the workers makes the index again."""

from typing import Any

import httpx

from tests.faults.topology import DOCUMENTS, SEARCH
from tests.support.deployment import Deployment, until
from tests.support.servers import QdrantServer

FILES = {
    "ferry.md": b"# Ferry\n\nTicket revenue of the ferry was 210 euros in spring, when it carried bicycles.\n",
    "quay.md": b"# Quay\n\nThe quay had no revenue while its old crane was taken down and sold for scrap.\n",
    "lock.md": b"# Lock\n\nSeven barges passed the lock at night; their fees are revenue of the following day.\n",
    "market.md": b"# Market\n\nFish brought the market most of its revenue, and mussels nearly nothing.\n",
}


def test_what_it_lost_is_put_back_by_one_worker(deployment: Deployment, qdrant_server: QdrantServer) -> None:
    api, worker = deployment.api("--no-worker"), deployment.worker()
    with api.client() as client:
        files = [("files", each) for each in FILES.items()]
        client.post(DOCUMENTS, params={"wait": "true"}, files=files).raise_for_status()
        before = _found(client)
        assert len(before) == len(FILES)
        worker.stop()

        # one document
        lost = client.get(DOCUMENTS).json()["items"][0]["document_id"]
        collection = f"{qdrant_server.url}/collections/{_collection(deployment, qdrant_server)}"
        only = {"filter": {"must": [{"key": "document_id", "match": {"value": lost}}]}}
        httpx.post(f"{collection}/points/delete?wait=true", json=only).raise_for_status()
        assert len(_found(client)) == len(FILES) - 1
        until(lambda: _code(client.get("/ready")) == "index_lost")
        worker = deployment.worker()
        until(lambda: worker.has_said("index_rebuilt"))
        assert _found(client) == before
        assert client.get("/ready").status_code == 200
        worker.stop()

        # all of them
        httpx.delete(collection).raise_for_status()
        until(lambda: _code(client.get("/ready")) == "index_lost")
        assert _code(client.get(SEARCH)) == "index_lost"
        workers = [deployment.worker() for _ in range(2)]
        until(lambda: client.get("/ready").status_code == 200)
        until(lambda: _found(client) == before)
        until(lambda: any(each.has_said("index_rebuilt") for each in workers))
        assert sum(each.said.count("index_rebuilt") for each in workers) == 1


def _found(client: httpx.Client) -> set[str]:
    answer = client.get(SEARCH.partition("?")[0], params={"q": "revenue", "limit": 20})
    return {each["chunk_id"] for each in answer.json()} if answer.is_success else set()


def _code(answer: httpx.Response) -> Any:
    return answer.json().get("code")


def _collection(deployment: Deployment, server: QdrantServer) -> str:
    alias = deployment.environment["MASIS_QDRANT_COLLECTION"]
    known = httpx.get(f"{server.url}/aliases").json()["result"]["aliases"]
    return next(each["collection_name"] for each in known if each["alias_name"] == alias)
