// The five agents, as they work. Its height never changes: what is below does not jump.
import { html, useEffect, useState } from "../html.js";
import { finding } from "../logic/findings.js";
import { latestAttempt, retryOf } from "../logic/run_state.js";
import { AGENTS, reasonInWords } from "../logic/words.js";

export function Pipeline({ state, isLive }) {
  const latest = latestAttempt(state)?.number ?? 0;
  const [chosen, setChosen] = useState(null);
  // A new attempt is what the reader wants to see, whatever was looked at before.
  useEffect(() => setChosen(null), [latest]);
  const number = chosen ?? latest;
  const attempt = state.attempts.find((each) => each.number === number);
  return html`
    <section class="pipeline" aria-label="Agents at work">
      <div class="attempts">
        ${(state.attempts.length ? state.attempts : [{ number: 0, entries: [] }]).map(
          (each) => html`<button type="button" class="chip" aria-pressed=${each.number === number}
            onClick=${() => setChosen(each.number)}>Attempt ${each.number + 1}</button>`,
        )}
        <p class="retry">${told(state, attempt, isLive)}</p>
      </div>
      <ol class="agents">
        ${AGENTS.map((agent) => html`<${Agent} agent=${agent} work=${attempt?.agents[agent.name]} isLive=${isLive} />`)}
      </ol>
      <p class="unseen" aria-live="polite">${announced(state, isLive)}</p>
    </section>
  `;
}

function told(state, attempt, isLive) {
  const retry = attempt && retryOf(attempt);
  if (retry) return `Sent back: ${reasonInWords(retry.reason)}.`;
  if (isLive && state.status === "queued") return "Waiting for a free worker …";
  return "";
}

/** Once per attempt and at the end: a screen reader is not told of every step. */
function announced(state, isLive) {
  if (!isLive) return "";
  const latest = latestAttempt(state);
  if (!latest || latest.number === 0) return "The agents are at work.";
  const before = state.attempts.at(-2);
  return `Attempt ${latest.number + 1}: ${reasonInWords(before && retryOf(before)?.reason)}.`;
}

function Agent({ agent, work, isLive }) {
  const status = work?.status === "working" && !isLive ? "stopped" : (work?.status ?? "idle");
  const words = { idle: "waits", working: "at work", done: "done", stopped: "stopped" };
  return html`
    <li class="agent is-${status}">
      <span class="agent-head"><span class="lamp" aria-hidden="true"></span><strong>${agent.title}</strong>
        <span class="unseen">${words[status]}</span></span>
      <span class="agent-found">${status === "done" ? finding(agent.name, work.trace, work.data) : agent.does}</span>
    </li>
  `;
}
