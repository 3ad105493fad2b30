// Two attempts side by side: what the Critic said of the first, and which words the second changed.
import { html, useMemo, useState } from "../html.js";
import { wordDiff } from "../logic/diff.js";
import { percent } from "../logic/format.js";
import { passageNames } from "../logic/passage_names.js";
import { shown } from "../logic/text.js";
import { Criticism } from "./criticism.js";

export function Compare({ attempts }) {
  const [from, setFrom] = useState(attempts[0].number);
  const [to, setTo] = useState(attempts.at(-1).number);
  const one = attempts.find((attempt) => attempt.number === from) ?? attempts[0];
  const other = attempts.find((attempt) => attempt.number === to) ?? attempts.at(-1);
  const named = useMemo(() => passageNames(attempts), [attempts]);
  const parts = useMemo(() => wordDiff(...[one, other].map((each) => shown(named(each.draft)))), [one.draft, other.draft]);
  const critique = one.agents.critic?.data?.critique;
  return html`
    <section class="compare" aria-labelledby="compare-title">
      <h3 id="compare-title">Compare attempts</h3>
      <div class="actions">
        <${Pick} label="From" attempts=${attempts} value=${from} onPick=${setFrom} />
        <${Pick} label="to" attempts=${attempts} value=${to} onPick=${setTo} />
      </div>
      <div class="columns">
        <${Draft} attempt=${one} parts=${parts.filter((part) => part.kind !== "new")} />
        <${Draft} attempt=${other} parts=${parts.filter((part) => part.kind !== "gone")} />
      </div>
      ${parts.every((part) => part.kind === "same") && html`<p class="faint">The two drafts are identical.</p>`}
      ${critique && html`<h4>What the Critic said about attempt ${one.number + 1}</h4>
        <${Criticism} critique=${critique} />`}
    </section>
  `;
}

function Pick({ label, attempts, value, onPick }) {
  return html`<label class="inline">${label} <select value=${value}
    onChange=${(event) => onPick(Number(event.target.value))}>
    ${attempts.map((attempt) => html`<option value=${attempt.number}>attempt ${attempt.number + 1}</option>`)}</select></label>`;
}

const TAGS = { same: (text) => text, gone: (text) => html`<del>${text}</del>`, new: (text) => html`<ins>
  ${text}</ins>` };

function Draft({ attempt, parts }) {
  const found = attempt.agents.researcher?.trace;
  return html`
    <div class="draft">
      <p class="faint">Attempt ${attempt.number + 1}: ${found?.chunks ?? 0} passages, confidence ${percent(attempt.agents.critic?.trace?.confidence)}</p>
      <p class="diff" dir="auto">${parts.length ? parts.map((part) => TAGS[part.kind](part.text)) : "No draft."}</p>
    </div>
  `;
}
