// Whom a person trusts where documents disagree. A decision holds for the whole run: what is chosen between two
// documents in one conflict is chosen in every other conflict between the same two.

const filesIn = (conflict) => [...new Set(conflict.sides.map((side) => side.file_name))];

/** The same for every conflict between the same documents. */
export function pairOf(conflict) {
  return JSON.stringify(filesIn(conflict).sort());
}

/** Whether some of the conflicts are decided together. */
export function anyTied(conflicts) {
  return new Set(conflicts.map(pairOf)).size < conflicts.length;
}

/**
 * @param {object[]} conflicts
 * @param {Record<string, string>} choices the file that is trusted, by pair
 * @returns {{prefer: string[], over: string[], torn: string[]}} `torn`: trusted here and not there, which no run can follow
 */
export function preference(conflicts, choices) {
  const prefer = new Set();
  const over = new Set();
  for (const conflict of conflicts) {
    const chosen = choices[pairOf(conflict)];
    if (!chosen) continue;
    for (const file of filesIn(conflict)) (file === chosen ? prefer : over).add(file);
  }
  return { prefer: [...prefer], over: [...over], torn: [...prefer].filter((file) => over.has(file)) };
}
