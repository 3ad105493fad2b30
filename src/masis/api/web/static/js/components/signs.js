// Shapes: a verdict is recognisable without its colour.
import { html } from "../html.js";
import { shownInPlace } from "../logic/text.js";

const SHAPES = {
  disc: html`<circle cx="8" cy="8" r="7" class="filled" /><path d="M4.8 8.2 7 10.4 11.3 5.8" class="cut" />`,
  ring: html`<circle cx="8" cy="8" r="6.2" /><path d="M5 8.2 7.1 10.3 11 6" />`,
  open: html`<circle cx="8" cy="8" r="6.2" />`,
  unequal: html`<path d="M8 1.2 14.8 8 8 14.8 1.2 8Z" /><path d="M5.4 6.7h5.2M5.4 9.3h5.2M9.4 5 6.6 11" />`,
  cross: html`<path d="M5.2 1.5h5.6l3.7 3.7v5.6l-3.7 3.7H5.2l-3.7-3.7V5.2Z" class="filled" />
    <path d="m5.6 5.6 4.8 4.8m0-4.8-4.8 4.8" class="cut" />`,
  square: html`<rect x="2" y="2" width="12" height="12" rx="1.5" /><path d="m5.6 5.6 4.8 4.8m0-4.8-4.8 4.8" />`,
  triangle: html`<path d="M8 1.8 15 14H1Z" /><path d="M8 6.2v3.6M8 11.6v.6" />`,
  dashes: html`<circle cx="8" cy="8" r="6.2" class="dashed" /><path d="M8 8.1v.1" class="dot" />`,
  bar: html`<path d="M2.5 8h11" class="thick" />`,
};

/** @param {{shape: string, tone: string}} sign */
export function Shape({ shape, tone = "plain" }) {
  return html`<svg class="shape tone-${tone}" viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
    ${SHAPES[shape] ?? SHAPES.bar}</svg>`;
}

/** Shape, colour and word together. */
export function Sign({ sign, children }) {
  return html`<span class="sign tone-${sign.tone}"><${Shape} ...${sign} /><span>${children ?? sign.word}</span></span>`;
}

const ICONS = {
  ask: html`<path d="M3 4.5A1.5 1.5 0 0 1 4.5 3h11A1.5 1.5 0 0 1 17 4.5v8a1.5 1.5 0 0 1-1.5 1.5H9l-4 3v-3h-.5A1.5 1.5 0 0 1 3 12.5Z" />`,
  search: html`<circle cx="9" cy="9" r="5.5" /><path d="m13 13 4 4" />`,
  runs: html`<path d="M3 5h14M3 10h14M3 15h9" />`,
  documents: html`<path d="M5 2.5h6.5L15.5 6.5V17a.5.5 0 0 1-.5.5H5a.5.5 0 0 1-.5-.5V3a.5.5 0 0 1 .5-.5Z" />
    <path d="M11.5 2.7V6.5h3.8M7.5 10h5M7.5 13h5" />`,
  settings: html`<path d="M3 6h8m4 0h2M3 14h2m4 0h8" /><circle cx="13" cy="6" r="2" /><circle cx="7" cy="14" r="2" />`,
  close: html`<path d="m5 5 10 10M15 5 5 15" />`,
  copy: html`<rect x="7" y="7" width="10" height="10" rx="1.5" />
    <path d="M13 7V4.5A1.5 1.5 0 0 0 11.5 3h-7A1.5 1.5 0 0 0 3 4.5v7A1.5 1.5 0 0 0 4.5 13H7" />`,
  download: html`<path d="M10 3v9m-4-3.5 4 4 4-4M4 16.5h12" />`,
  again: html`<path d="M16 10a6 6 0 1 1-2-4.5M16 3v3.5h-3.5" />`,
  bin: html`<path d="M4 5.5h12M8 5V3.5h4V5m-6.5.5.7 11h7.6l.7-11" />`,
  plus: html`<path d="M10 4v12M4 10h12" />`,
  left: html`<path d="m12 5-5 5 5 5" />`,
  right: html`<path d="m8 5 5 5-5 5" />`,
  folder: html`<path d="M2.5 5A1.5 1.5 0 0 1 4 3.5h4l2 2h6A1.5 1.5 0 0 1 17.5 7v7.5A1.5 1.5 0 0 1 16 16H4a1.5 1.5 0 0 1-1.5-1.5Z" />`,
  upload: html`<path d="M10 13V4m-4 3.5 4-4 4 4M4 16.5h12" />`,
  stop: html`<rect x="5" y="5" width="10" height="10" rx="1.5" />`,
  person: html`<circle cx="10" cy="6.5" r="3.2" /><path d="M3.8 17c.6-3.6 3-5.3 6.2-5.3s5.6 1.7 6.2 5.3" />`,
};

export function Icon({ name }) {
  return html`<svg class="icon" viewBox="0 0 20 20" width="18" height="18" aria-hidden="true">${ICONS[name]}</svg>`;
}

/** Text that others wrote stands apart from the page's own, whichever way it is written. */
export function Foreign({ children }) {
  const harmless = (each) => (typeof each === "string" ? shownInPlace(each) : each);
  return html`<bdi>${Array.isArray(children) ? children.map(harmless) : harmless(children)}</bdi>`;
}
