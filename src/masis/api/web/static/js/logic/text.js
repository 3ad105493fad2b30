// Text that others wrote: documents, answers, file names. Every span of MASIS counts code points, JavaScript counts
// UTF-16 units; and what could disguise the text is made visible, one character for one, so that spans stay true.

const SURROGATE = /[\ud800-\udfff]/;
// Bidirectional overrides and isolates, other controls, invisible tags: all of them change what a reader sees.
const DISGUISING = /[\u202a-\u202e\u2066-\u2069\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]|[\u{e0000}-\u{e007f}]/gu;
const SHOWN_INSTEAD = "\ufffd";

/** @param {unknown} text */
export function shown(text) {
  return String(text ?? "").replace(/\r\n?/g, "\n").replace(DISGUISING, SHOWN_INSTEAD);
}

/** Like `shown`, and no character fewer: for text whose spans are counted. @param {unknown} text */
export function shownInPlace(text) {
  return String(text ?? "").replace(DISGUISING, SHOWN_INSTEAD);
}

/**
 * Slices by code points.
 * @param {string} text
 */
export function sliced(text, start, end = Infinity) {
  if (!SURROGATE.test(text)) return text.slice(start, end);
  return Array.from(text).slice(start, end).join("");
}

/** @param {string} text */
export function lengthOf(text) {
  return SURROGATE.test(text) ? Array.from(text).length : text.length;
}

/** In one line. */
export function oneLine(text) {
  return shown(text).replace(/\s+/g, " ").trim();
}

/** Without the marks of headings, the bars of tables and the empty lines of Markdown: for reading, not for spans. */
export function plainly(text) {
  return text.split("\n").filter((line) => !line || /[^|:\s-]/.test(line) || !line.includes("|")).map(plainLine).join("\n").replace(/\n{2,}/g, "\n");
}

function plainLine(line) {
  const bare = line.replace(/^#{1,6}[ \t]+/, "");
  return bare.includes("|") ? bare.split("|").map((cell) => cell.trim()).filter(Boolean).join(" · ") : bare;
}

/** What a citation, a side of a conflict or a near miss quotes, in one line: a row of a table comes with its columns' names. */
export function quoteOf({ shown: readOut, quote }) {
  return oneLine(readOut ?? plainly(shown(quote)));
}

const PERIOD = /\s+(?:(?:in|for|during|of|at the end of|as of)\s+)?(?:(?:the\s+)?(?:fiscal|financial|calendar)\s+(?:year\s+)?|FY\s?|Q[1-4]\s+)?(?:19|20)\d\d\b/gi;

/** A question that asks for no particular year. */
export function withoutPeriod(question) {
  return question.replace(PERIOD, "");
}

/** Cut to a maximum length, at a word. */
export function shortened(text, most) {
  const line = oneLine(text);
  if (line.length <= most) return line;
  const cut = line.slice(0, most);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(" "), most * 0.6))} …`;
}

export function plural(count, one, many = `${one}s`) {
  return `${Number(count).toLocaleString("en-GB")} ${count === 1 ? one : many}`;
}
