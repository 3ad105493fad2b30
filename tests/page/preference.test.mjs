import assert from "node:assert/strict";
import { test } from "node:test";
import { anyTied, pairOf, preference } from "../../src/masis/api/web/static/js/logic/preference.js";

const between = (...files) => ({ sides: files.map((file_name) => ({ file_name })) });

test("who is trusted wins over all others of the conflict", () => {
  const conflict = between("a", "b", "c");
  assert.deepEqual(preference([conflict], { [pairOf(conflict)]: "b" }), { prefer: ["b"], over: ["a", "c"], torn: [] });
});

test("conflicts between the same documents are one choice, whichever stands first", () => {
  const conflicts = [between("memo.md", "report.md"), between("report.md", "memo.md")];
  assert.equal(pairOf(conflicts[0]), pairOf(conflicts[1]));
  assert.ok(anyTied(conflicts));
  const chosen = { [pairOf(conflicts[0])]: "report.md" };
  assert.deepEqual(preference(conflicts, chosen), { prefer: ["report.md"], over: ["memo.md"], torn: [] });
});

test("other documents are other choices; what is not chosen says nothing", () => {
  const conflicts = [between("a", "b"), between("c", "d")];
  assert.ok(!anyTied(conflicts));
  assert.deepEqual(preference(conflicts, { [pairOf(conflicts[0])]: "a" }), { prefer: ["a"], over: ["b"], torn: [] });
  assert.deepEqual(preference(conflicts, {}), { prefer: [], over: [], torn: [] });
});

test("a document that is trusted here and not there is named", () => {
  const conflicts = [between("a", "b"), between("b", "c")];
  const chosen = { [pairOf(conflicts[0])]: "a", [pairOf(conflicts[1])]: "b" };
  assert.deepEqual(preference(conflicts, chosen).torn, ["b"]);
});
