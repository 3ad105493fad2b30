// A long list of rows of one height: only those near the window are drawn, gaps stand for the others.
import { html, useEffect, useLayoutEffect, useRef, useState } from "../html.js";

const SHORT = 200;
const AROUND = 20;
const STEP = 10;

/** Which rows to draw when the list's top is `top` pixels above the window's. */
export function rowsInSight(top, windowHeight, rowHeight, count) {
  const first = Math.floor(top / rowHeight) - AROUND;
  const last = Math.ceil((top + windowHeight) / rowHeight) + AROUND;
  // In steps: not every pixel of scrolling is worth drawing.
  return [Math.max(Math.floor(first / STEP) * STEP, 0), Math.min(Math.max(Math.ceil(last / STEP) * STEP, 0), count)];
}

/** @param {{label: string, items: object[], children: (item: object) => unknown}} props */
export function WindowedList({ label, items, className, draw }) {
  const list = useRef(null);
  const [[first, last], setRange] = useState([0, SHORT]);
  const isLong = items.length > SHORT;
  useEffect(() => {
    if (!isLong) return undefined;
    const look = () => {
      const row = list.current?.querySelector("li:not(.gap)");
      if (!row) return;
      const next = rowsInSight(-list.current.getBoundingClientRect().top, innerHeight, row.offsetHeight, items.length);
      setRange((known) => (known[0] === next[0] && known[1] === next[1] ? known : next));
    };
    look();
    addEventListener("scroll", look, { passive: true });
    addEventListener("resize", look, { passive: true });
    return () => {
      removeEventListener("scroll", look);
      removeEventListener("resize", look);
    };
  }, [isLong, items.length]);
  const end = isLong ? Math.min(last, items.length) : items.length;
  const start = isLong ? Math.min(first, end) : 0;
  return html`
    <ul ref=${list} class=${className} aria-label=${label}>
      ${isLong && html`<${Gap} list=${list} rows=${start} />`}
      ${items.slice(start, end).map(draw)}
      ${isLong && html`<${Gap} list=${list} rows=${items.length - end} />`}
    </ul>
  `;
}

function Gap({ list, rows }) {
  const element = useRef(null);
  useLayoutEffect(() => {
    const row = list.current?.querySelector("li:not(.gap)");
    element.current.style.setProperty("height", `${rows * (row?.offsetHeight ?? 0)}px`);
  }, [rows]);
  return html`<li ref=${element} class="gap" aria-hidden="true"></li>`;
}
