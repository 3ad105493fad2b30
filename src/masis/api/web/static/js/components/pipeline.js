// The five agents, as they work. Its height never changes: what is below does not jump.
import { html, useEffect, useRef, useState } from "../html.js";
import { announcement, finding } from "../logic/findings.js";
import { latestAttempt, retryOf } from "../logic/run_state.js";
import { AGENTS, nextAttemptInWords } from "../logic/words.js";

export function Pipeline({ state, isLive }) {
  const latest = latestAttempt(state)?.number ?? 0;
  const [chosen, setChosen] = useState(null);
  // A new attempt is what the reader wants to see, whatever was looked at before.
  useEffect(() => setChosen(null), [latest]);
  const number = chosen ?? latest;
  const attempt = state.attempts.find((each) => each.number === number);
  const strip = useRef(null);
  // Of many attempts the strip shows only some: the one that is looked at is among them.
  useEffect(() => {
    const chip = strip.current.querySelector('[aria-pressed="true"]');
    if (chip) strip.current.scrollTo({ left: chip.offsetLeft - (strip.current.clientWidth - chip.offsetWidth) / 2 });
  }, [number, state.attempts.length]);
// A reader who opens an old run sees how it ended; only one who waited for it needs an announcement.
  const wasLive = useRef(false);
  wasLive.current ||= isLive;
  return html`
    <section class="pipeline" aria-label="Agents at work">
      <div class="attempts" ref=${strip}>
        ${(state.attempts.length ? state.attempts : [{ number: 0, entries: [] }]).map(
          (each) => html`<button type="button" class="chip" aria-pressed=${each.number === number}
            onClick=${() => setChosen(each.number)}>Attempt ${each.number + 1}</button>`,
        )}
        <p class="retry">${told(state, attempt, isLive)}</p>
      </div>
      <ol class="agents">
        ${AGENTS.map((agent) => html`<${Agent} agent=${agent} work=${attempt?.agents[agent.name]} isLive=${isLive} />`)}
      </ol>
      <p class="unseen" aria-live="polite">${wasLive.current ? announcement(state) : ""}</p>
    </section>
  `;
}

function told(state, attempt, isLive) {
  const retry = attempt && retryOf(attempt);
  if (retry) return nextAttemptInWords(retry.reason);
  if (isLive && state.status === "queued") return "Waiting for a free worker …";
  return "";
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
