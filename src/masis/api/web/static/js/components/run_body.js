// What a run has to say: an answer, a draft in the making, or a question to a person.
import { post } from "../api.js";
import { useShared } from "../context.js";
import { html, useState } from "../html.js";
import { wasDrafted } from "../logic/findings.js";
import { day, percent, place } from "../logic/format.js";
import { answersOf } from "../logic/run_state.js";
import { plural, shortened, shown } from "../logic/text.js";
import { Answer } from "./answer.js";
import { Conflict } from "./conflict.js";
import { DecisionWords } from "./decision_words.js";
import { ProblemNote } from "./notices.js";
import { Review } from "./review.js";
import { Foreign, Sign } from "./signs.js";
import { AnswerStanding, DraftStanding } from "./standing.js";

const GONE = { word: "no longer in the workspace", tone: "doubt", shape: "triangle" };

export function RunBody({ run, model, question, isLive, workspace, onOpen, source, gone }) {
  const { record, result, state, path, resumed } = run;
  const review = record.status === "waiting" ? (result?.review ?? state.review) : null;
  const hasText = result ? wasDrafted(result) : model.blocks.length > 0;
  const isCutShort = record.status === "failed" || record.status === "cancelled";
  const text = html`<section class="answer-area ${isLive ? "is-live" : ""}"
    aria-label=${review ? "Best draft" : isLive ? "Draft" : isCutShort ? "Unfinished draft" : "Answer"}>
    ${review && hasText && html`<h2>Best draft</h2>`}
    ${isCutShort && hasText && html`<h2>Unfinished draft</h2><p class="faint">The run ended before it was done.</p>`}
    ${isLive && html`<${DraftStanding} state=${state} />`}
    ${result?.claims.length > 0 && html`<${AnswerStanding} claims=${result.claims} sentences=${model.sentences} />`}
    <${Answer} model=${model} onOpen=${onOpen} />
  </section>`;
  return html`
    ${record.status === "cancelled" && html`<p class="note">This run was cancelled. The trail shows what was done until then.</p>`}
    ${record.status === "failed" && html`<${Failure} record=${record} path=${path} onResumed=${resumed} />`}
    ${review ? html`<${Review} key=${record.attempts} review=${review} path=${path} workspace=${workspace}
      question=${question} hasDraft=${hasText} onOpen=${onOpen} onAnswered=${resumed}>${text}<//>` : text}
    ${result && !review && result.conflicts.length > 0 && html`<section>
      <h2>Where documents disagree</h2>${result.conflicts.map((conflict) => html`<${Conflict} conflict=${conflict}
      name="shown" onOpen=${onOpen} />`)}</section>`}
    ${!isLive && answersOf(state).length > 0 && html`<${Decided} answers=${answersOf(state)} />`}
    ${result?.closest?.length > 0 && html`<${Closest} passages=${result.closest} onOpen=${onOpen} source=${source} gone=${gone} />`}
    ${result && html`<${Sources} model=${model} evidence=${result.evidence} onOpen=${onOpen} source=${source}
      gone=${gone} />`}
  `;
}

/** The error is not the reader's; its raw text helps only an administrator. */
function Failure({ record, path, onResumed }) {
  const { mayWrite } = useShared();
  const [problem, setProblem] = useState(null);
  const resume = () => post(`${path}/resume`).then(onResumed, setProblem);
  return html`
    <div class="note tone-bad" role="alert">
      <p><strong>This run failed: unexpected error, probably a bug.</strong></p>
      <p>There is no answer. The documents are unchanged, and the trail shows what was done. You can resume the run from
        the agent that was interrupted; if it fails again, send the details below to your administrator.</p>
      ${mayWrite && html`<p><button type="button" onClick=${resume}>Resume</button></p>`}
      ${problem && html`<${ProblemNote} problem=${problem} />`}
      <details><summary>Details for the administrator</summary>
        <pre tabindex="0" aria-label="The error">${shown(`Run ${record.run_id}\n${record.error ?? "No further details."}`)}</pre></details>
    </div>
  `;
}

function Decided({ answers }) {
  const given = answers.map(({ data, trace }) => data?.pending_answer ?? trace);
  return html`
    <section>
      <h2>Decisions</h2>
      <ul>
        ${given.map((each) => html`<li><${DecisionWords} given=${each} /></li>`)}
      </ul>
    </section>
  `;
}

/** The documents do not answer: what they say that comes nearest. */
function Closest({ passages, onOpen, source, gone }) {
  return html`
    <section class="sources closest" aria-labelledby="closest-title">
      <h2 id="closest-title">Closest passages</h2>
      <ul class="source-list">${passages.map((passage) => html`<li>
        <${SourceRow} passage=${passage} onOpen=${onOpen} isGone=${gone.has(passage.document_id)}
        isOpen=${isSame(source, passage)} /><${Quote} passage=${passage} /></li>`)}</ul>
    </section>
  `;
}

/** Several quotes may come from one passage: the words tell them apart. */
function Quote({ passage }) {
  return passage.quote && html`<p class="faint quote">“<${Foreign}>${shortened(passage.quote, 160)}<//>”</p>`;
}

const isSame = (source, citation) => source?.chunk_id === citation.chunk_id && source?.start === citation.start;

/** Cited passages by their numbers; then what was read and not cited. */
function Sources({ model, evidence, onOpen, source, gone }) {
  const cited = new Set(model.sources.map(({ citation }) => citation.chunk_id));
  const others = evidence.filter((chunk) => !cited.has(chunk.chunk_id));
  if (!evidence.length && !model.sources.length) return null;
  return html`
    <section class="sources" aria-labelledby="sources-title">
      <h2 id="sources-title">Sources</h2>
      ${!model.sources.length && html`<p class="faint">The answer has no citations.</p>`}
      <ol class="source-list">${model.sources.map(({ number, citation }) => html`<li value=${number}>
        <${SourceRow} passage=${citation} onOpen=${onOpen} isGone=${gone.has(citation.document_id)}
        isOpen=${isSame(source, citation)} /><${Quote} passage=${citation} /></li>`)}</ol>
      ${others.length > 0 && html`<details><summary>
        ${plural(others.length, cited.size ? "more passage" : "passage")} read and not cited</summary>
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
