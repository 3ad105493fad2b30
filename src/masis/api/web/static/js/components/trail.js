// The whole way of a run: every attempt, every agent, every decision, readable and raw.
import { html, useState } from "../html.js";
import { milliseconds, moment, percent, place } from "../logic/format.js";
import { finding, readable } from "../logic/findings.js";
import { retryOf } from "../logic/run_state.js";
import { plainly, plural, shortened, shown } from "../logic/text.js";
import { agentTitle, isSentBack, nextAttemptInWords } from "../logic/words.js";
import { Compare } from "./compare.js";
import { Criticism } from "./criticism.js";
import { DecisionWords } from "./decision_words.js";
import { Foreign } from "./signs.js";

export function Trail({ state, result }) {
  // Events name the passages; their words are in the result.
  const texts = new Map((result?.evidence ?? []).map((chunk) => [chunk.chunk_id, chunk.text]));
  return html`
    <div class="trail">
      <h2 class="unseen">Trail</h2>
      ${state.attempts.length > 1 && html`<${Compare} attempts=${state.attempts} />`}
      ${state.attempts.map((attempt) => html`<${AttemptTrail} key=${attempt.number} attempt=${attempt} texts=${texts} />`)}
      ${result && html`<details class="raw"><summary>The whole result as JSON</summary>
        <pre tabindex="0">${shown(JSON.stringify(result, null, 2))}</pre></details>`}
    </div>
  `;
}

function AttemptTrail({ attempt, texts }) {
  const retry = retryOf(attempt);
  return html`
    <section class="attempt" aria-labelledby="attempt-${attempt.number}">
      <h3 id="attempt-${attempt.number}">Attempt ${attempt.number + 1}</h3>
      <ol class="timeline">${attempt.entries.map((entry) => html`<${Entry} entry=${entry} texts=${texts} />`)}</ol>
      ${retry && html`<p class=${isSentBack(retry.reason) ? "sent-back" : "note"}>${nextAttemptInWords(retry.reason)}</p>`}
    </section>
  `;
}

function Entry({ entry, texts }) {
  const [isRaw, setIsRaw] = useState(false);
  return html`
    <li class="entry">
      <p class="entry-head"><strong>${agentTitle(entry.agent)}</strong> <span>
        ${finding(entry.agent, entry.trace, entry.data)}</span> <span class="faint">
        ${entry.trace?.duration_ms != null ? milliseconds(entry.trace.duration_ms) : ""}</span></p>
      <${Said} entry=${entry} texts=${texts} />
      <details onToggle=${(event) => setIsRaw(event.currentTarget.open)}>
        <summary>Details of ${agentTitle(entry.agent)}, ${moment(entry.at)}</summary>
        ${isRaw &&
        html`<dl class="pairs">${readable(entry.trace).map(([name, value]) => html`<div><dt>${name}</dt><dd>
          <${Foreign}>${value}<//></dd></div>`)}</dl>
          <pre tabindex="0" aria-label="Raw entry">
            ${shown(JSON.stringify({ trace: entry.trace, data: entry.data }, null, 2))}</pre>`}
      </details>
    </li>
  `;
}

/** What the Researcher found, to be read. */
function Passages({ evidence, texts }) {
  return html`<details><summary>${plural(evidence.length, "passage")}</summary><ul class="trail-passages">${evidence.map((chunk) => html`<li>
    <strong><${Foreign}>${chunk.file_name}<//></strong> <span class="faint">${[place(chunk), `relevance ${percent(chunk.score)}`].filter(Boolean).join(" · ")}</span>
    ${texts.has(chunk.chunk_id) && html`<p dir="auto"><${Foreign}>${shortened(plainly(texts.get(chunk.chunk_id)), 400)}<//></p>`}</li>`)}</ul></details>`;
}

/** What the Critic found wrong, and what a person decided: the parts of the trail that people read first. */
function Said({ entry, texts }) {
  const { critique, pending_answer: answer } = entry.data ?? {};
  if (answer) return html`<p><${DecisionWords} given=${answer} /></p>`;
  if (critique) return html`<${Criticism} critique=${critique} />`;
  return entry.data?.evidence?.length > 0 ? html`<${Passages} evidence=${entry.data.evidence} texts=${texts} />` : null;
}
