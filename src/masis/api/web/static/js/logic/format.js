// Numbers and times as a reader says them.

export function percent(value) {
  return value == null ? "–" : `${wholePercent(value)}%`;
}

export function wholePercent(share) {
  return Math.round(share * 100);
}

export function milliseconds(value) {
  if (value == null) return "–";
  if (value < 1) return "under 1 ms";
  if (value < 1000) return `${Math.round(value)} ms`;
  return seconds(value / 1000);
}

export function seconds(value) {
  if (value < 60) return `${value < 10 ? value.toFixed(1) : Math.round(value)} s`;
  const minutes = Math.floor(value / 60);
  if (minutes < 60) return `${minutes} min ${Math.round(value % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function size(bytes) {
  if (bytes < 1000) return `${bytes} bytes`;
  const units = ["kB", "MB", "GB"];
  let value = bytes / 1000;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

export function money(dollars) {
  if (!dollars) return "nothing";
  return dollars < 0.01 ? "under 1 cent" : `$${dollars.toFixed(2)}`;
}

/** A moment, in the reader's own time zone. */
export function moment(iso) {
  if (!iso) return "";
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return String(iso);
  return at.toLocaleString("en-GB", { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" });
}

/** A document's date, as precise as it says: 2025, 2025-03 or 2025-03-12. */
export function day(iso) {
  const [year, month, date] = String(iso ?? "").split("T")[0].split("-");
  if (!month) return year;
  const names = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"];
  const name = names[Number(month) - 1];
  if (!name) return String(iso);
  return date ? `${Number(date)} ${name} ${year}` : `${name} ${year}`;
}

/** How long from one moment to another, in seconds; null where one is missing. */
export function between(from, to) {
  if (!from || !to) return null;
  const length = (new Date(to).getTime() - new Date(from).getTime()) / 1000;
  return Number.isFinite(length) ? Math.max(length, 0) : null;
}

/** @param {{page?: number|null, label?: string|null}} where */
export function place(where) {
  return where.label || (where.page ? `page ${where.page}` : "");
}
