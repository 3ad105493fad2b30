// The result of an upload as text.
import { plural } from "./text.js";

const OVER = { cancelled: "Stopped", failed: "Failed" };
const READ = ["ready", "pending"];

/** The headline: how many of its files were read, once it is over. */
export function uploadTitle({ status, files, progress, duplicates = [] }) {
  const told = plural(progress.files_total || files.length, "file");
  if (status === "queued" || status === "running") return `Reading ${told}`;
  if (OVER[status]) return `${OVER[status]}: ${told}`;
  const count = (stages) => files.filter((file) => stages.includes(file.stage)).length;
  const [read, failed, known] = [count(READ), count(["failed"]), count(["duplicate"]) + duplicates.length];
  if (!failed && !known) return `${plural(read, "file")} read`;
  const rest = [failed && `${failed} failed`, known && `${known} already here`];
  return [`${read} of ${files.length + duplicates.length} read`, ...rest].filter(Boolean).join(", ");
}

/** Both kinds of duplicates: those the service recognised at the door, and those found while reading. */
export function duplicatesOf({ files, duplicates = [] }) {
  return [...files.filter((file) => file.stage === "duplicate"), ...duplicates];
}
