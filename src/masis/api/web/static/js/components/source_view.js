// One page of a document: its image where there is one, its text and tables always, the cited words marked.
import { get, workspacePath } from "../api.js";
import { html, useEffect, useLayoutEffect, useMemo, useRef, useState } from "../html.js";
import { percent } from "../logic/format.js";
import { hasPageImages, opening, pageAt, pageModel, saidSpan } from "../logic/source_model.js";
import { useShortcuts } from "../shortcuts.js";
import { useLoaded } from "../use_loaded.js";
import { ProblemNote, Waiting } from "./notices.js";
import { Foreign, Icon } from "./signs.js";

const WIDTH = 1200;
// Enough to find words on: it is not looked at.
const SMALLEST = 200;
// As wide as its frame, and larger.
const ZOOMS = [1, 1.5, 2, 3];
const OPENED_AT_MOST = 2;
// On a phone a page is never opened smaller: letters of ten points are then eleven pixels high.
const LEGIBLE_WIDTH = 660;
const isPhone = () => matchMedia("(max-width: 47.99rem)").matches;

/**
 * @param {{workspace: string, source: {document_id: string, file_name: string, page?: number, start?: number,
 *   end?: number, chunk?: object, said?: string}}} props `chunk`: the passage as saved with the run;
 *   `said`: the sentence that cites it
 */
export function SourceView({ workspace, source }) {
  const path = workspacePath(workspace, `/documents/${source.document_id}`);
  const pages = useLoaded(`${path}/pages`);
  const [number, setNumber] = useState(null);
  const [wantsText, setWantsText] = useState(false);
  const [imageFailed, setImageFailed] = useState(false);
  // Null until the marked words are known: they decide how large the page is opened.
  const [zoom, setZoom] = useState(null);
  useEffect(() => {
    setZoom(null);
    setNumber(null);
    setImageFailed(false);
  }, [source.document_id, source.start, source.page]);

  if (pages.problem?.status === 404) return html`<${KeptPassage} source=${source} />`;
  if (pages.problem) return html`<div class="source-problem"><${ProblemNote} problem=${pages.problem}
    onRetry=${pages.reload} /></div>`;
  if (!pages.value) return html`<div class="source-problem"><${Waiting} /></div>`;
  const cited = pages.value.find((page) => page.number === source.page) ?? pageAt(pages.value, source.start);
  const page = pages.value.find((each) => each.number === number) ?? cited;
  if (!page) return html`<p class="source-problem">No text could be read from this document.</p>`;
  const span = spanOf(source);
  const hasImage = hasPageImages(source.file_name) && !imageFailed;
  const showsImage = hasImage && !wantsText;
  return html`
    <div class="source-view">
      <div class="source-bar">
        <${Pager} pages=${pages.value} page=${page} onGo=${setNumber} />
        ${showsImage && html`<${Zoom} zoom=${zoom ?? 1} onZoom=${setZoom} />`}
        ${hasImage &&
        html`<div class="segments" role="group" aria-label="Show the page as">
          <button type="button" aria-pressed=${showsImage} onClick=${() => setWantsText(false)}>Page</button>
          <button type="button" aria-pressed=${!showsImage} onClick=${() => setWantsText(true)}>Text</button>
        </div>`}
      </div>
      ${showsImage
        ? html`<${PageImage} key=${`${page.number} ${span?.start} ${span?.end}`} path=${path} page=${page} span=${span}
          keyed=${keySpan(source)} name=${source.file_name} zoom=${zoom} onZoom=${setZoom} onFail=${() => setImageFailed(true)} />`
        : html`<${PageText} path=${path} page=${page} span=${span} said=${source.said} />`}
    </div>
  `;
}

/** Of a row of a table the figures that the sentence repeats. */
const keySpan = ({ shown, chunk, start, end, said }) => (shown && chunk && start != null ? saidSpan(chunk, { start, end }, said) : null);

const spanOf = (source) => (source.start == null ? null : { start: source.start, end: source.end });

/** The document is gone, and what a run has read of it is not. */
function KeptPassage({ source }) {
  const { chunk } = source;
  const kept = chunk ? "this is the passage saved with the run." : "only the cited words were saved with the run.";
  return html`
    <div class="source-view">
      <p class="source-gone note tone-doubt" role="status"><span><${Foreign}>${source.file_name}<//> was deleted or
        replaced; ${kept}</span></p>
      ${chunk && html`<${Words} page=${chunk} span=${spanOf(source)} said=${source.said}
        name="Passage saved with the run" />`}
    </div>
  `;
}

function Zoom({ zoom, onZoom }) {
  const smaller = () => onZoom(ZOOMS.findLast((each) => each < zoom) ?? ZOOMS[0]);
  const larger = () => onZoom(ZOOMS.find((each) => each > zoom) ?? ZOOMS.at(-1));
  useShortcuts({ "+": larger, "=": larger, "-": smaller, 0: () => onZoom(1) });
  return html`
    <div class="zoom" role="group" aria-label="Zoom">
      <button type="button" class="quiet icon-only" aria-label="Smaller" disabled=${zoom <= ZOOMS[0]} onClick=${smaller}>−</button>
      <span class="faint on-wide" role="status">${zoom === 1 ? "Fits" : percent(zoom)}</span>
      <button type="button" class="quiet icon-only" aria-label="Larger" disabled=${zoom >= ZOOMS.at(-1)}
        onClick=${larger}>+</button>
    </div>
  `;
}

function Pager({ pages, page, onGo }) {
  const at = pages.indexOf(page);
  const nameOf = (each) => each.label || `Page ${each.number}`;
  if (pages.length === 1) return html`<span class="faint">${nameOf(page)}</span>`;
  return html`
    <div class="pager">
      <button type="button" class="quiet icon-only" aria-label="Previous page" disabled=${at === 0}
        onClick=${() => onGo(pages[at - 1].number)}><${Icon} name="left" /></button>
      <label><span class="unseen">Page</span><select value=${page.number}
        onChange=${(event) => onGo(Number(event.target.value))}>${pages.map((each) => html`<option value=${each.number}>
        ${nameOf(each)}</option>`)}</select></label>
      <span class="faint on-wide">of ${pages.length}</span>
      <button type="button" class="quiet icon-only" aria-label="Next page" disabled=${at === pages.length - 1}
        onClick=${() => onGo(pages[at + 1].number)}><${Icon} name="right" /></button>
    </div>
  `;
}

function PageImage({ path, page, span, keyed, name, zoom, onZoom, onFail }) {
  const [isDrawn, setIsDrawn] = useState(false);
  const picture = useRef(null);
  const isCited = span && span.start < page.end && span.end > page.start;
  const asked = (width, { start, end }) => `width=${width}&start=${start}&end=${end}`;
  const marksOf = (width, place) => `${path}/pages/${page.number}/marks?${asked(width, place)}`;
  // Asked for once the picture is here: the service has found them when it drew it.
  const marks = useLoaded(isCited && isDrawn ? marksOf(WIDTH, span) : null);
  const key = useLoaded(isCited && keyed ? marksOf(SMALLEST, keyed) : null);
  const isKnown = marks.value && (!keyed || key.value || key.problem);
  const height = (picture.current?.offsetHeight ?? 0) / (zoom ?? 1);
  const target = isKnown && marks.value.length ? opening(marks.value, key.value ?? [], OPENED_AT_MOST, height) : null;
  useLayoutEffect(() => picture.current.style.setProperty("width", `${(zoom ?? 1) * 100}%`), [zoom]);
  useEffect(() => {
    const isBare = isDrawn && (!isCited || marks.value?.length === 0);
    if (target && zoom === null) onZoom(target.zoom);
    else if (target) reveal(picture.current, target, marks.value);
    else if (isBare && zoom === null && isPhone()) onZoom(Math.max(1, LEGIBLE_WIDTH / picture.current.offsetWidth));
  }, [isKnown, isDrawn, zoom]);
  const words = isCited ? ", the cited words marked" : "";
  return html`
    <div class="page-image" tabindex="0" role="region" aria-label="Page image">
      ${marks.value?.length === 0 && html`<p class="note tone-doubt">The cited words were not found on the page image. They are
        marked under “Text”.</p>`}
      <img ref=${picture} src="${path}/pages/${page.number}.png?${isCited ? asked(WIDTH, span) : `width=${WIDTH}`}"
        alt="Page ${page.number} of ${name}${words}. Its text is under “Text”."
        onLoad=${() => setIsDrawn(true)} onError=${onFail} />
    </div>
  `;
}

/** Scrolls the frame of a picture, and nothing around it, so that the part that matters is in its middle; what is larger than the
 * frame is read from its beginning. */
function reveal(picture, { left, right }, marks) {
  const frame = picture.parentElement;
  const { offsetWidth: width, offsetHeight: height, offsetLeft, offsetTop } = picture;
  const [top, bottom] = [Math.min(...marks.map((mark) => mark.top)), Math.max(...marks.map((mark) => mark.bottom))];
  const middle = (first, last, size, room) => (first * size + Math.min(last * size, first * size + room * 0.96)) / 2 - room / 2;
  frame.scrollTo({
    top: offsetTop + middle(top, bottom, height, frame.clientHeight),
    left: offsetLeft + middle(left, right, width, frame.clientWidth),
  });
}

function PageText({ path, page, span, said }) {
  const loaded = useLoaded(`${path}/text?page=${page.number}`, get);
  if (loaded.problem) return html`<div class="source-problem"><${ProblemNote} problem=${loaded.problem}
    onRetry=${loaded.reload} /></div>`;
  if (!loaded.value) return html`<div class="source-problem"><${Waiting} /></div>`;
  return html`<${Words} page=${{ text: loaded.value.text, start: page.start }} span=${span} said=${said}
    name="Text of the page" />`;
}

/** @param {{page: {text: string, start: number}, span: {start: number, end: number}|null, said?: string, name: string}} props */
function Words({ page, span, said, name }) {
  const model = useMemo(() => pageModel(page, span, said), [page.text, page.start, span?.start, span?.end, said]);
  const box = useRef(null);
  useEffect(() => {
    box.current.querySelector("mark")?.scrollIntoView({ block: "center" });
  }, [model]);
  return html`<div class="page-text" ref=${box} dir="auto" tabindex="0" role="region" aria-label=${name}>
    ${model.map((group) => DRAWN[group.kind](group))}</div>`;
}

function Grid({ head, rows }) {
  const named = head.some((cell) => cell.pieces.some((piece) => piece.text));
  return html`
    <div class="grid-scroll" tabindex="0" role="group" aria-label="Table">
      <table>
        ${named && html`<thead><tr>${head.map((cell) => html`<th scope="col">${marked(cell.pieces)}</th>`)}</tr></thead>`}
        <tbody>${rows.map((row) => html`<tr>${row.cells.map((cell) => html`<td class=${cell.isSaid ? "said" : undefined}>
          ${marked(cell.pieces)}</td>`)}</tr>`)}</tbody>
      </table>
    </div>
  `;
}

const DRAWN = {
  table: (group) => html`<${Grid} ...${group} />`,
  heading: (group) => html`<h3>${marked(group.pieces)}</h3>`,
  text: (group) => html`<p>${marked(group.pieces)}</p>`,
};

const marked = (pieces) => pieces.map((piece) => (piece.marked ? html`<mark>${piece.text}</mark>` : piece.text));
