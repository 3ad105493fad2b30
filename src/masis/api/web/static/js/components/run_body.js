// What a run has to say: an answer, a draft in the making, or a question to a person.
import { post } from "../api.js";
import { useShared } from "../context.js";
import { html, useState } from "../html.js";
import { isSilence, saysMore, wasDrafted } from "../logic/findings.js";
import { answersOf } from "../logic/run_state.js";
import { shown } from "../logic/text.js";
import { Link, addressOf } from "../router.js";
import { Answer } from "./answer.js";
import { Conflict } from "./conflict.js";
import { DecisionWords } from "./decision_words.js";
import { Feedback } from "./feedback.js";
import { ProblemNote } from "./notices.js";
import { Review, Wider } from "./review.js";
import { Closest } from "./sources.js";
import { AnswerStanding, DraftStanding } from "./standing.js";

export function RunBody({ run, model, question, isLive, workspace, onOpen, source, gone }) {
  const { mayWrite } = useShared();
  const { record, result, state, path, resumed } = run;
  const review = record.status === "waiting" ? (result?.review ?? state.review) : null;
  const hasText = result ? wasDrafted(result) : model.blocks.length > 0;
  const closest = result?.closest?.length > 0 && html`<${Closest} passages=${result.closest} question=${question} onOpen=${onOpen}
    source=${source} gone=${gone} />`;
  const silent = !isLive && Boolean(result) && isSilence(result);
  const isCutShort = record.status === "failed" || record.status === "cancelled";
  const text = html`<section class="answer-area ${isLive ? "is-live" : ""}"
    aria-label=${review ? "Best draft" : isLive ? "Draft" : isCutShort ? "Unfinished draft" : "Answer"}>
    ${review && hasText && html`<h2>Best draft</h2>`}
    ${isCutShort && hasText && html`<h2>Unfinished draft</h2><p class="faint">The run ended before it was done.</p>`}
    ${isLive && html`<${DraftStanding} state=${state} />`}
    ${result?.claims.length > 0 && !silent && html`<${AnswerStanding} claims=${result.claims} sentences=${model.sentences} />`}
    <${Answer} model=${model} onOpen=${onOpen} isSilence=${silent} />
  </section>`;
  return html`
    ${record.status === "cancelled" && html`<p class="note">This run was cancelled. The trail shows what was done until then.</p>`}
    ${record.status === "failed" && html`<${Failure} record=${record} path=${path} onResumed=${resumed} />`}
    ${silent && !review && !saysMore(result) ? null : review ? html`<${Review} key=${record.attempts} review=${review} record=${record} path=${path} workspace=${workspace}
      question=${question} hasDraft=${hasText} closest=${closest} onOpen=${onOpen} onAnswered=${resumed}>${text}<//>` : text}
    ${result?.claims.length > 0 && !isLive && !review && html`<${Feedback} path=${path} claims=${result.claims} />`}
    ${result && !review && result.conflicts.length > 0 && html`<section>
      <h2>Where documents disagree</h2>${result.conflicts.map((conflict) => html`<${Conflict} conflict=${conflict}
      name="shown" onOpen=${onOpen} />`)}</section>`}
    ${!isLive && answersOf(state).length > 0 && html`<${Decided} answers=${answersOf(state)} />`}
    ${(!review || hasText) && closest}
    ${!review && record.outcome === "insufficient_evidence" && mayWrite && html`<${Wider} record=${record} question=${question}
      workspace=${workspace}><${Link} to=${addressOf(workspace, "documents")} class="button">Add documents<//><//>`}
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
