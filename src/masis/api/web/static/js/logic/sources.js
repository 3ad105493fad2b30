// Sources in words.
import { plural } from "./text.js";

export const SCHEDULES = [
  ["", "On request"],
  ["15m", "Every 15 minutes"],
  ["1h", "Every hour"],
  ["1d", "Every day"],
];

const UNITS = [[604800, "week"], [86400, "day"], [3600, "hour"], [60, "minute"]];

/** “every 15 minutes”. */
export function scheduleInWords(seconds) {
  if (!seconds) return "on request";
  const [size, unit] = UNITS.find(([each]) => seconds % each === 0) ?? [1, "second"];
  return seconds === size ? `every ${unit}` : `every ${seconds / size} ${unit}s`;
}

const DONE = { new: "new", changed: "changed", moved: "renamed", deleted: "deleted", failed: "not read" };

/** What the last synchronisation did, where it did something. */
export function doneInWords(counts = {}) {
  const parts = Object.entries(DONE).filter(([name]) => counts[name]).map(([name, word]) => `${counts[name]} ${word}`);
  if (parts.length) return parts.join(", ");
  return counts.unchanged ? `${plural(counts.unchanged, "file")}, nothing new` : "";
}

/** Each change with its word, as listed. @returns {[string, string][]} */
export function newsOf(summary) {
  const of = (name) => summary[name] ?? [];
  return [
    ...of("new").map((each) => ["new", each]),
    ...of("changed").map((each) => ["changed", each]),
    ...of("moved").map(([from, to]) => ["renamed", `${from} → ${to}`]),
    ...of("deleted").map((each) => ["deleted", each]),
    ...of("failed").map(([name, why]) => ["not read", why.startsWith(name) ? why : `${name}: ${why}`]),
  ];
}

export function stateOf(source) {
  if (source.is_syncing) return { word: "Being synced", tone: "live", shape: "open" };
  if (source.status === "failed") return { word: "Failed", tone: "bad", shape: "cross" };
  if (source.status !== "synced") return { word: "Not synced yet", tone: "plain", shape: "dashes" };
  return source.error ? { word: "Partly in sync", tone: "doubt", shape: "triangle" } : { word: "In sync", tone: "good", shape: "disc" };
}
