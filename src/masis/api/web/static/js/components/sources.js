// The passages an answer rests on, and those that come nearest where there is none.
import { html } from "../html.js";
import { day, percent, place } from "../logic/format.js";
import { highlighted, searched } from "../logic/highlights.js";
import { plural, quoteOf, shortened } from "../logic/text.js";
import { Foreign, Sign } from "./signs.js";

const GONE = { word: "no longer in the workspace", tone: "doubt", shape: "triangle" };

/** The documents do not answer: what they say that comes nearest. */
export function Closest({ passages, question, onOpen, source, gone }) {
  const wanted = searched(question);
  return html`
    <section class="sources closest" aria-labelledby="closest-title">
      <h2 id="closest-title">Closest passages</h2>
      <ul class="source-list">${passages.map((passage) => html`<li>
        <${SourceRow} passage=${passage} onOpen=${onOpen} isGone=${gone.has(passage.document_id)}
        isOpen=${isSame(source, passage)} /><p class="quote" dir="auto">“${highlighted(shortened(quoteOf(passage), 400), wanted).map(({ text, isHit }) => (isHit ? html`<mark>${text}</mark>` : text))}”</p></li>`)}</ul>
    </section>
  `;
}

/** Several quotes may come from one passage: the words tell them apart. */
function Quote({ passage }) {
  return passage.quote && html`<p class="faint quote">“<${Foreign}>${shortened(quoteOf(passage), 160)}<//>”</p>`;
}

const isSame = (source, citation) => source?.chunk_id === citation.chunk_id && source?.start === citation.start;

/** While the answer is written: what the Researcher has found so far. */
export function Found({ evidence, onOpen, gone }) {
  return html`
    <section class="sources" aria-labelledby="found-title">
      <h2 id="found-title">Passages found</h2>
      ${!evidence.length && html`<p class="faint">The passages that the Researcher finds appear here.</p>`}
      <ul class="source-list">${evidence.map((chunk) => html`<li><${SourceRow} passage=${{ ...chunk, chunk }} onOpen=${onOpen}
        isGone=${gone.has(chunk.document_id)} /></li>`)}</ul>
    </section>
  `;
}

/** Cited passages by their numbers; then what was read and not cited. */
export function Sources({ model, evidence, onOpen, source, gone, isBrief }) {
  const cited = new Set(model.sources.map(({ citation }) => citation.chunk_id));
  const others = evidence.filter((chunk) => !cited.has(chunk.chunk_id));
  if (!evidence.length && !model.sources.length) return null;
  return html`
    <section class="sources" aria-labelledby="sources-title">
      <h2 id="sources-title">${model.sources.length ? "Sources" : "Passages read"}</h2>
      <ol class="source-list">${model.sources.map(({ number, citation }) => html`<li value=${number}>
        <${SourceRow} passage=${citation} onOpen=${onOpen} isGone=${gone.has(citation.document_id)}
        isOpen=${isSame(source, citation)} />${!isBrief && html`<${Quote} passage=${citation} />`}</li>`)}</ol>
      ${others.length > 0 && html`<details><summary>
        ${cited.size ? `${plural(others.length, "more passage")} read and not cited` : `${plural(others.length, "passage")}, none cited`}</summary>
        <ul class="source-list">${others.map((chunk) => html`<li>
        <${SourceRow} passage=${{ ...chunk, chunk }} onOpen=${onOpen} isGone=${gone.has(chunk.document_id)}
        isOpen=${isSame(source, chunk)} /></li>`)}</ul></details>`}
    </section>
  `;
}

function SourceRow({ passage, onOpen, isOpen, isGone }) {
  const facts = [place(passage), passage.date && day(passage.date), passage.score != null && `relevance ${percent(passage.score)}`].filter(Boolean);
  return html`<button type="button" class="source-row" aria-current=${isOpen ? "true" : undefined}
    onClick=${() => onOpen(passage)}><strong><${Foreign}>${passage.file_name}<//></strong>
    <span class="faint">${facts.join(" · ")}${isGone && html` · <${Sign} sign=${GONE} />`}</span></button>`;
}
