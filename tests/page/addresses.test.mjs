import assert from "node:assert/strict";
import { test } from "node:test";
import { rowsInSight } from "../../src/masis/api/web/static/js/components/windowed.js";
import { batches } from "../../src/masis/api/web/static/js/ingest_feed.js";
import { addressOf, parse } from "../../src/masis/api/web/static/js/router.js";

test("every address is read back as it was made", () => {
  for (const [view, name] of [["ask", "ask"], ["runs", "runs"], ["documents", "documents"]])
    assert.deepEqual(parse(addressOf("a.b_c-1", view)), { name, workspace: "a.b_c-1" });
  assert.deepEqual(parse(addressOf("acme", "runs", "r/1")), { name: "run", workspace: "acme", id: "r/1" });
  assert.deepEqual(parse("/w/acme"), { name: "ask", workspace: "acme" });
  assert.deepEqual([parse("/").name, parse("/settings").name, parse("/sign-in").name], ["home", "settings", "sign-in"]);
});

test("what is no address of the page is nowhere, a broken escape included", () => {
  for (const path of ["/w", "/w/acme/other", "/w/acme/runs/1/2", "/x", "/w/acme/ask/1"]) assert.equal(parse(path).name, "nowhere", path);
  assert.equal(parse("/w/%E0%A4%A").workspace, "%E0%A4%A");
});

test("many files go in several requests, each within the limits", () => {
  const files = Array.from({ length: 250 }, (_, index) => ({ name: `${index}`, size: 1 }));
  assert.deepEqual(batches(files).map((batch) => batch.length), [100, 100, 50]);
  assert.deepEqual(batches([{ size: 150e6 }, { size: 150e6 }]).map((batch) => batch.length), [1, 1]);
  assert.deepEqual(batches([]), []);
});

test("of a long list only the rows near the window are drawn, and never none", () => {
  assert.deepEqual(rowsInSight(-300, 900, 60, 5000), [0, 30]);
  const [first, last] = rowsInSight(60 * 2500, 900, 60, 5000);
  assert.ok(first <= 2500 && last >= 2515 && last - first < 80);
  assert.deepEqual(rowsInSight(60 * 5000, 900, 60, 5000)[1], 5000);
});
