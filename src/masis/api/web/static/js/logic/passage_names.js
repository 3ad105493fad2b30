// Drafts cite passages by ids that mean nothing to a reader: in a comparison they stand with their file and page.
import { place } from "./format.js";

/** @returns {(draft: string) => string} each passage has one number in all attempts, so that a change of passage shows */
export function passageNames(attempts) {
  const names = new Map();
  for (const attempt of attempts)
    for (const chunk of attempt.agents.researcher?.data?.evidence ?? [])
      if (!names.has(chunk.chunk_id)) names.set(chunk.chunk_id, nameOf(chunk, names.size + 1));
  return (draft) => String(draft ?? "").replace(/\b[0-9A-Za-z_:.-]+\b/g, (word) => names.get(word) ?? word);
}

function nameOf(chunk, number) {
  return `${number}: ${[chunk.file_name, place(chunk)].filter(Boolean).join(", ")}`;
}
