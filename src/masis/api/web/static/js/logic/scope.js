// Where a question looks: chosen documents, types, dates. What is empty does not restrict.
import { day } from "./format.js";
import { plural } from "./text.js";

const LISTED = 2;

/** Without empty fields. @returns {object} */
export function tidied(filters = {}) {
  return Object.fromEntries(Object.entries(filters ?? {}).filter(([, value]) => value && value.length !== 0));
}

export function isEverywhere(filters) {
  return Object.keys(tidied(filters)).length === 0;
}

/** “annual-report.pdf, PDF, dated 2024 to 2025”; empty for everywhere. */
export function scopeInWords(filters, names = new Map()) {
  const { documents = [], file_types: types = [], dated_from: from, dated_to: to, pages } = tidied(filters);
  const named = documents.map((each) => names.get(each) ?? each);
  return [
    named.length > LISTED ? plural(named.length, "document") : named.join(", "),
    types.map((type) => type.toUpperCase()).join(", "),
    from && to ? `dated ${day(from)} to ${day(to)}` : from ? `dated ${day(from)} or later` : to ? `dated ${day(to)} or earlier` : "",
    pages && (pages[0] === pages[1] ? `page ${pages[0]}` : `pages ${pages.join("–")}`),
  ].filter(Boolean).join(" · ");
}

/** The types of files there are, by their names' ends. @param {{file_name: string}[]} documents */
export function typesOf(documents) {
  const ends = documents.map(({ file_name: name }) => /\.([a-z0-9]{1,8})$/i.exec(name)?.[1].toLowerCase());
  return [...new Set(ends.filter(Boolean))].sort();
}

const DATE = /^\d{4}(-\d\d(-\d\d)?)?$/;

/** “3” or “3–7” as a first and a last page; empty for none, null for what is neither. */
export function pagesFrom(text) {
  if (!text.trim()) return [];
  const found = /^\s*([1-9]\d{0,5})\s*(?:[-–]\s*([1-9]\d{0,5})\s*)?$/.exec(text);
  const [first, last] = found ? [Number(found[1]), Number(found[2] ?? found[1])] : [1, 0];
  return first <= last ? [first, last] : null;
}

/** What is wrong with it; empty where nothing is. */
export function scopeProblem(filters, pages = "") {
  if (pagesFrom(pages) === null) return `“${pages}” is not a page or a range of pages: write 3 or 3–7.`;
  const wrong = [filters.dated_from, filters.dated_to].find((each) => each && !DATE.test(each));
  return wrong ? `“${wrong}” is not a date: write 2024, 2024-03 or 2024-03-12.` : "";
}
