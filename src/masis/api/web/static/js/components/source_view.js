// One page of a document: its image where there is one, its text and tables always, the cited words marked.
import { get, workspacePath } from "../api.js";
import { html, useEffect, useMemo, useRef, useState } from "../html.js";
import { hasPageImages, pageAt, pageModel } from "../logic/source_model.js";
import { useLoaded } from "../use_loaded.js";
import { ProblemNote, Waiting } from "./notices.js";
import { Icon } from "./signs.js";

const WIDTH = 1200;

/**
 * @param {{workspace: string, source: {document_id: string, file_name: string, page?: number, start?: number, end?: number}}} props
 */
export function SourceView({ workspace, source }) {
  const path = workspacePath(workspace, `/documents/${source.document_id}`);
  const pages = useLoaded(`${path}/pages`);
  const [number, setNumber] = useState(null);
  const [wantsText, setWantsText] = useState(false);
  const [imageFailed, setImageFailed] = useState(false);
  useEffect(() => {
    setNumber(null);
    setImageFailed(false);
  }, [source.document_id, source.start, source.page]);

  if (pages.problem) return html`<${ProblemNote} problem=${pages.problem} onRetry=${pages.reload} />`;
  if (!pages.value) return html`<${Waiting} />`;
  const cited = pages.value.find((page) => page.number === source.page) ?? pageAt(pages.value, source.start);
  const page = pages.value.find((each) => each.number === number) ?? cited;
  if (!page) return html`<p>Nothing was read of this document.</p>`;
  const span = source.start == null ? null : { start: source.start, end: source.end };
  const hasImage = hasPageImages(source.file_name) && !imageFailed;
  const showsImage = hasImage && !wantsText;
  return html`
    <div class="source-view">
      <div class="source-bar">
        <${Pager} pages=${pages.value} page=${page} onGo=${setNumber} />
        ${hasImage &&
        html`<div class="segments" role="group" aria-label="Show the page as">
          <button type="button" aria-pressed=${showsImage} onClick=${() => setWantsText(false)}>Page</button>
          <button type="button" aria-pressed=${!showsImage} onClick=${() => setWantsText(true)}>Text</button>
        </div>`}
      </div>
      ${showsImage
        ? html`<${PageImage} path=${path} page=${page} span=${span} name=${source.file_name}
          onFail=${() => setImageFailed(true)} />`
        : html`<${PageText} path=${path} page=${page} span=${span} />`}
    </div>
  `;
}

function Pager({ pages, page, onGo }) {
  const at = pages.indexOf(page);
  const nameOf = (each) => each.label || `Page ${each.number}`;
  if (pages.length === 1) return html`<span class="faint">${nameOf(page)}</span>`;
  return html`
    <div class="pager">
      <button type="button" class="quiet icon-only" aria-label="Page before" disabled=${at === 0}
        onClick=${() => onGo(pages[at - 1].number)}><${Icon} name="left" /></button>
      <label><span class="unseen">Page</span><select value=${page.number}
        onChange=${(event) => onGo(Number(event.target.value))}>${pages.map((each) => html`<option value=${each.number}>
        ${nameOf(each)}</option>`)}</select></label>
      <span class="faint">of ${pages.length}</span>
      <button type="button" class="quiet icon-only" aria-label="Next page" disabled=${at === pages.length - 1}
        onClick=${() => onGo(pages[at + 1].number)}><${Icon} name="right" /></button>
    </div>
  `;
}

function PageImage({ path, page, span, name, onFail }) {
  const marks = span && span.start < page.end && span.end > page.start ? `&start=${span.start}&end=${span.end}` : "";
  const words = marks ? ", the cited words marked" : "";
  return html`<div class="page-image"><img key=${`${page.number}${marks}`}
    src="${path}/pages/${page.number}.png?width=${WIDTH}${marks}"
    alt="Page ${page.number} of ${name}${words}. Its text is under “Text”." onError=${onFail} /></div>`;
}

function PageText({ path, page, span }) {
  const loaded = useLoaded(`${path}/text?page=${page.number}`, get);
  const model = useMemo(() => loaded.value && pageModel({ text: loaded.value.text, start: page.start }, span), [loaded.value, span?.start, span?.end]);
  const box = useRef(null);
  useEffect(() => {
    box.current?.querySelector("mark")?.scrollIntoView({ block: "center" });
  }, [model]);
  if (loaded.problem) return html`<${ProblemNote} problem=${loaded.problem} onRetry=${loaded.reload} />`;
  if (!model) return html`<${Waiting} />`;
  return html`<div class="page-text" ref=${box} dir="auto" tabindex="0" role="region" aria-label="Text of the page">
    ${model.map((group) => DRAWN[group.kind](group))}</div>`;
}

function Grid({ rows }) {
  const [head, ...body] = rows;
  return html`
    <div class="grid-scroll" tabindex="0" role="group" aria-label="Table">
      <table>
        <thead><tr>${head.cells.map((cell) => html`<th scope="col">${marked(cell)}</th>`)}</tr></thead>
        <tbody>${body.map((row) => html`<tr>${row.cells.map((cell) => html`<td>${marked(cell)}</td>`)}</tr>`)}</tbody>
      </table>
    </div>
  `;
}

const DRAWN = {
  table: (group) => html`<${Grid} rows=${group.rows} />`,
  heading: (group) => html`<h3>${marked(group.pieces)}</h3>`,
  text: (group) => html`<p>${marked(group.pieces)}</p>`,
};

const marked = (pieces) => pieces.map((piece) => (piece.marked ? html`<mark>${piece.text}</mark>` : piece.text));
