"""Putting documents in, looking at them, and taking them out."""

import threading
from pathlib import Path

from playwright.sync_api import FilePayload, Locator, Page, expect

from tests.support.browser import Witness
from tests.support.service import Service


def file(name: str, text: str) -> FilePayload:
    return {"name": name, "mimeType": "", "buffer": text.encode()}


def row_of(page: Page, name: str) -> Locator:
    return page.get_by_role("list", name="Documents").get_by_role("listitem").filter(has_text=name)


def test_several_files_one_of_them_bad_and_one_there_already(page: Page, service: Service, witness: Witness) -> None:
    service.upload("mixed", {"known.md": b"# Known\n\nThe fleet has nine ships."})
    page.goto("/w/mixed/documents")
    page.get_by_label("Files to upload").set_input_files(
        [
            file("plan.md", "# Plan\n\nThe fleet grows to twelve ships in 2027."),
            file("broken.pdf", "%PDF-1.7 and then nothing that a reader could use"),
            file("known-again.md", "# Known\n\nThe fleet has nine ships."),
        ]
    )
    upload = page.get_by_role("region", name="Upload of")
    expect(upload.get_by_role("listitem").filter(has_text="plan.md")).to_contain_text("Ready")
    failed = upload.get_by_role("listitem").filter(has_text="broken.pdf")
    expect(failed).to_contain_text("Failed")
    expect(failed.locator(".reason")).to_contain_text("PDF")
    duplicate = upload.get_by_role("listitem").filter(has_text="known-again.md")
    expect(duplicate).to_contain_text("Already here")
    expect(duplicate).to_contain_text("Already in the workspace as known.md, so not read again")
    expect(upload).to_contain_text("1 of 3 read, 1 failed, 1 already here")
    expect(row_of(page, "plan.md")).to_contain_text("Ready")
    expect(row_of(page, "broken.pdf")).to_contain_text("Failed")

    # Nothing new at all is refused as a whole, and explained just the same.
    witness.excuse("409")
    page.get_by_label("Files to upload").set_input_files(
        file("plan-again.md", "# Plan\n\nThe fleet grows to twelve ships in 2027.")
    )
    expect(page.get_by_text("The workspace already has these files: plan-again.md as plan.md.")).to_be_visible()
    page.get_by_role("button", name="Dismiss the report").first.click()
    expect(page.get_by_text("The workspace already has these files")).to_have_count(0)


def test_a_folder_is_uploaded_with_what_is_inside_it(page: Page, tmp_path: Path) -> None:
    inside = tmp_path / "reports" / "2025"
    inside.mkdir(parents=True)
    (tmp_path / "reports" / "summary.md").write_text("# Summary\n\nThe pier was rebuilt.")
    (inside / "detail.md").write_text("# Detail\n\nThe pier cost $4 million.")
    (inside / ".DS_Store").write_bytes(b"\0")
    page.goto("/w/tolmerick/documents")
    page.get_by_label("Folder to upload").set_input_files(tmp_path / "reports")
    expect(row_of(page, "summary.md")).to_contain_text("Ready")
    expect(row_of(page, "detail.md")).to_contain_text("Ready")
    expect(row_of(page, ".DS_Store")).to_have_count(0)


def test_is_looked_at_searched_and_deleted_with_a_receipt(page: Page, service: Service) -> None:
    service.upload("bin", {"keep.md": b"# Keep\n\nStays.", "table.csv": b"Port,Ships\nHull,12\nLeith,7\n"})
    page.goto("/w/bin/documents")
    expect(page.get_by_text("2 documents", exact=True)).to_be_visible()
    page.get_by_label("Search names").fill("TABLE")
    expect(page.get_by_text("1 document", exact=True)).to_be_visible()
    row_of(page, "table.csv").get_by_role("link", name="table.csv").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("table.csv")
    expect(page.get_by_role("columnheader", name="Ships")).to_be_visible()
    expect(page.get_by_role("cell", name="Leith")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download the original").click()
    assert Path(download.value.path()).read_bytes() == b"Port,Ships\nHull,12\nLeith,7\n"

    page.get_by_role("link", name="All documents").click()
    row_of(page, "table.csv").get_by_role("button", name="Delete table.csv").click()
    page.get_by_role("dialog", name="Delete this document?").get_by_role("button", name="Keep it").click()
    expect(row_of(page, "table.csv")).to_be_visible()
    row_of(page, "table.csv").get_by_role("button", name="Delete table.csv").click()
    page.get_by_role("button", name="Delete the document").click()
    receipt = page.get_by_role("dialog", name="Deleted")
    expect(receipt).to_contain_text("table.csv")
    expect(receipt).to_contain_text("Passages removed from the index")
    receipt.get_by_role("button", name="Done").click()
    expect(row_of(page, "table.csv")).to_have_count(0)
    with service.client() as client:
        left = client.get("/masis/workspaces/bin/documents").json()["items"]
    assert [document["file_name"] for document in left] == ["keep.md"]


def test_an_upload_is_stopped_and_what_was_read_stays(page: Page, service: Service, may_read: threading.Event) -> None:
    may_read.set()
    service.upload("stopped", {"note.md": b"# Note\n\nRead before."})
    may_read.clear()
    page.goto("/w/stopped/documents")
    files = [file(f"pier-{each}.txt", f"Pier {each} holds {each * 7} crates.") for each in range(8)]
    page.get_by_label("Files to upload").set_input_files(files)
    upload = page.get_by_role("region", name="Upload of 8 files")
    upload.get_by_role("button", name="Stop").click()
    expect(upload).to_contain_text("Stopped: 8 files")
    expect(upload.get_by_role("listitem").filter(has_text="Stopped").first).to_be_visible()
    expect(upload.get_by_role("button", name="Stop")).to_have_count(0)
    expect(row_of(page, "note.md")).to_contain_text("Ready")
    expect(page.get_by_role("list", name="Documents").get_by_text("Being read")).to_have_count(0)
