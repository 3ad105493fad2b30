// Beside the answer: its sources, or the one that was asked for. On a phone the source comes as a sheet.
import { html, useEffect, useRef } from "../html.js";
import { addressOf, Link } from "../router.js";
import { day, place } from "../logic/format.js";
import { quoteOf } from "../logic/text.js";
import { Foreign, Icon } from "./signs.js";
import { Found, Sources } from "./sources.js";
import { SourceView } from "./source_view.js";

export function SidePanel({ workspace, isLive, isBrief, evidence, model, source, gone, onOpen, onClose }) {
  return html`
    <aside class="side ${source ? "has-source" : ""}" aria-label=${source ? "Source" : "Evidence"}>
      ${source ? html`<${SourceSheet} workspace=${workspace} source=${source} isGone=${gone.has(source.document_id)}
        onClose=${onClose} />` : html`<div class="side-scroll" tabindex="0" role="region" aria-label="Passages">
        <${isLive ? Found : Sources} model=${model} evidence=${evidence} onOpen=${onOpen} source=${source} gone=${gone}
          isBrief=${isBrief} />
      </div>`}
    </aside>
  `;
}

export function SourceSheet({ workspace, source, isGone, onClose }) {
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
        <mark>${quoteOf(source)}</mark></blockquote>`}
      <${SourceView} workspace=${workspace} source=${source} />
    </div>
  `;
}
