// Beside the answer: how good it is, or the source that was asked for. On a phone the source comes as a sheet.
import { html, useEffect, useRef } from "../html.js";
import { addressOf, Link } from "../router.js";
import { day, place } from "../logic/format.js";
import { isOver } from "../logic/run_state.js";
import { shownInPlace } from "../logic/text.js";
import { Quality } from "./quality.js";
import { Foreign, Icon } from "./signs.js";
import { SourceView } from "./source_view.js";

export function SidePanel({ workspace, status, result, source, isGone, onClose }) {
  return html`
    <aside class="side ${source ? "has-source" : ""}" aria-label=${source ? "Source" : "Quality"}>
      ${source && html`<${SourceSheet} workspace=${workspace} source=${source} isGone=${isGone}
        onClose=${onClose} />`}
      ${!source && html`<div class="side-scroll" tabindex="0" role="region" aria-label="Quality of the answer">
        <h2>Quality</h2>${result ? html`<${Quality} result=${result} />` : html`<${NoQuality} status=${status} />`}</div>`}
    </aside>
  `;
}

function NoQuality({ status }) {
  if (isOver(status)) return html`<p class="faint">No scores: the run ended before there was an answer to score.</p>`;
  return html`<p class="faint">Scores, citation audit, coverage, cost and time appear here when the Evaluator is done.</p>`;
}

function SourceSheet({ workspace, source, isGone, onClose }) {
  const heading = useRef(null);
  useEffect(() => heading.current.focus({ preventScroll: true }), [source]);
  return html`
    <div class="source-sheet">
      <header class="source-head">
        <div>
          <h2 ref=${heading} tabindex="-1"><${Foreign}>${source.file_name}<//></h2>
          <p class="faint">
            ${[place(source), source.date && `dated ${day(source.date)}`].filter(Boolean).join(" · ")}</p>
        </div>
        ${!isGone && html`<${Link} to=${addressOf(workspace, "documents", source.document_id)}
          class="button quiet">Whole document<//>`}
        <button type="button" class="quiet icon-only" aria-label="Close the source" onClick=${onClose}>
          <${Icon} name="close" /></button>
      </header>
      ${source.quote && html`<blockquote class="cited" dir="auto"><span class="faint">Cited text</span>
        <mark>${shownInPlace(source.quote)}</mark></blockquote>`}
      <${SourceView} workspace=${workspace} source=${source} />
    </div>
  `;
}
