// Which words changed from one draft to the next.

const MOST_CELLS = 4_000_000;

/** @returns {{kind: "same"|"gone"|"new", text: string}[]} */
export function wordDiff(before, after) {
  const one = words(before);
  const other = words(after);
  // Beyond that the table would cost more than the reader gains.
  if (one.length * other.length > MOST_CELLS) return joined([["gone", before], ["new", after]].filter(([, text]) => text));
  return joined(walked(one, other, table(one, other)));
}

function words(text) {
  return String(text ?? "").match(/\s+|[\p{L}\p{N}]+(?:[.,'’-][\p{L}\p{N}]+)*|[^\s\p{L}\p{N}]/gu) ?? [];
}

/** Lengths of the longest common run of words, from each place to the end. */
function table(one, other) {
  const width = other.length + 1;
  const lengths = new Uint32Array((one.length + 1) * width);
  for (let i = one.length - 1; i >= 0; i -= 1)
    for (let j = other.length - 1; j >= 0; j -= 1)
      lengths[i * width + j] =
        one[i] === other[j] ? lengths[(i + 1) * width + j + 1] + 1 : Math.max(lengths[(i + 1) * width + j], lengths[i * width + j + 1]);
  return lengths;
}

function walked(one, other, lengths) {
  const width = other.length + 1;
  const steps = [];
  let i = 0;
  let j = 0;
  while (i < one.length && j < other.length) {
    if (one[i] === other[j]) {
      steps.push(["same", one[i]]);
      i += 1;
      j += 1;
    } else if (lengths[(i + 1) * width + j] >= lengths[i * width + j + 1]) steps.push(["gone", one[i++]]);
    else steps.push(["new", other[j++]]);
  }
  steps.push(...one.slice(i).map((word) => ["gone", word]), ...other.slice(j).map((word) => ["new", word]));
  return steps;
}

function joined(steps) {
  const parts = [];
  for (const [kind, text] of steps) {
    if (parts.at(-1)?.kind === kind) parts.at(-1).text += text;
    else parts.push({ kind, text });
  }
  return parts;
}
