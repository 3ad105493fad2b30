import assert from "node:assert/strict";
import { test } from "node:test";
import "./vocabulary.mjs";
import { droppedFiles, visible } from "../../src/masis/api/web/static/js/dropped_files.js";
import { revocationWarnings } from "../../src/masis/api/web/static/js/logic/key_warnings.js";
import { duplicatesOf, uploadTitle } from "../../src/masis/api/web/static/js/logic/upload_words.js";
import { filtersIn } from "../../src/masis/api/web/static/js/views/runs.js";

const upload = (status, stages, duplicates) => ({
  status,
  files: stages.map((stage, index) => ({ stage, file_name: `${index}.md`, document_id: `${index}` })),
  progress: { files_total: stages.length },
  ...(duplicates && { duplicates }),
});

test("the headline of an upload counts what was read, what failed and what was there", () => {
  assert.equal(uploadTitle(upload("running", ["reading", "queued"])), "Reading 2 files");
  assert.equal(uploadTitle(upload("done", ["ready"])), "1 file read");
  assert.equal(uploadTitle(upload("done", ["ready", "pending", "failed", "failed", "failed"])), "2 of 5 read, 3 failed");
  assert.equal(uploadTitle(upload("done", ["failed"])), "0 of 1 read, 1 failed");
  assert.equal(uploadTitle(upload("done", ["ready", "duplicate"], [{ file_name: "again.md" }])), "1 of 3 read, 2 already here");
  assert.equal(uploadTitle(upload("cancelled", ["ready", "queued"])), "Stopped: 2 files");
  assert.deepEqual(duplicatesOf(upload("done", ["ready", "duplicate"], [{ file_name: "again.md" }])).map((file) => file.file_name), ["1.md", "again.md"]);
});

test("an empty file goes to the service, a hidden one and a folder do not", async () => {
  const file = (name, read) => ({ name, size: 0, slice: () => ({ arrayBuffer: read }) });
  const [empty, hidden] = [file("empty.md", async () => ""), file(".DS_Store", async () => "")];
  const folder = file("reports", () => Promise.reject(new Error("a folder")));
  assert.deepEqual(visible([empty, hidden]), [empty]);
  assert.deepEqual(await droppedFiles({ items: [], files: [empty, hidden, folder] }), [empty]);
  const inside = { isFile: true, file: (resolve) => resolve(empty) };
  const portions = [[inside], []];
  const entry = { isFile: false, createReader: () => ({ readEntries: (resolve) => resolve(portions.shift()) }) };
  assert.deepEqual(await droppedFiles({ items: [{ webkitGetAsEntry: () => entry }], files: [folder] }), [empty]);
});

test("who revokes their own key, the last admin's or the last of all is warned", () => {
  const key = (key_id, role = "admin", more = {}) => ({ key_id, role, workspaces: ["*"], revoked_at: null, expires_at: null, ...more });
  const warned = (keys, ownId) => revocationWarnings(keys[0], keys, ownId).join(" ");
  assert.equal(warned([key("a"), key("b")], "b"), "");
  assert.match(warned([key("a"), key("b")], "a"), /^It is the key you are signed in with[^.]*\.$/);
  assert.match(warned([key("a"), key("b", "write")], "b"), /last admin's key/);
  assert.match(warned([key("a"), key("b", "admin", { expires_at: "2001-01-01T00:00:00Z" })]), /It is the last key/);
  assert.match(warned([key("a"), key("b", "admin", { revoked_at: "2001-01-01T00:00:00Z" })], "a"), /signed out immediately.*It is the last key/);
  assert.equal(warned([key("a", "write"), key("b")], "b"), "");
});

test("the filters of the runs are read from the address, what makes no sense left out", () => {
  const read = (query) => filtersIn(new URLSearchParams(query));
  assert.deepEqual(read("search=a%20b&outcome=answered&status=waiting"), { search: "a b", outcome: "answered", status: "waiting" });
  assert.deepEqual(read("outcome=toString&status=x"), { search: "", outcome: "", status: "" });
  assert.equal(read(`search=${"x".repeat(300)}`).search.length, 200);
});
