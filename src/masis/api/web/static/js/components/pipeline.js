// The five agents on one line of constant height: what is below never jumps. The steps open on request.
import { html, useEffect, useRef, useState } from "../html.js";
import { announcement, finding, summary } from "../logic/findings.js";
import { latestAttempt, retryOf } from "../logic/run_state.js";
import { AGENTS, nextAttemptInWords } from "../logic/words.js";

/** @param {{state: object, isLive: boolean, facts: string}} props `facts`: who asked when, and how long it took */
export function Pipeline({ state, isLive, facts }) {
  const [isOpen, setIsOpen] = useState(false);
  const latest = latestAttempt(state);
// A reader who opens an old run sees how it ended; only one who waited for it needs an announcement.
  const wasLive = useRef(false);
  wasLive.current ||= isLive;
  return html`
    <section class="pipeline" aria-label="Agents at work">
      <div class="agent-line">
        ${!isOpen && html`<ol class="lamps">${AGENTS.map((agent) => html`<${Lamp} agent=${agent}
          status=${statusOf(latest?.agents[agent.name], isLive)} />`)}</ol>`}
        <p class="now">${isLive ? atWork(state, latest) : summary(state)}</p>
        <button type="button" class="quiet" aria-expanded=${isOpen} onClick=${() => setIsOpen(!isOpen)}>
          ${isOpen ? "Hide steps" : "Steps"}</button>
      </div>
      ${isOpen && html`<${Steps} state=${state} isLive=${isLive} />`}
      ${isOpen && facts && html`<p class="facts faint">${facts}</p>`}
      <p class="unseen" aria-live="polite">${wasLive.current ? announcement(state) : ""}</p>
    </section>
  `;
}

const WORDS = { idle: "waits", working: "at work", done: "done", stopped: "stopped" };

const statusOf = (work, isLive) => (work?.status === "working" && !isLive ? "stopped" : (work?.status ?? "idle"));

function Lamp({ agent, status }) {
  return html`<li class="is-${status}"><span class="lamp" aria-hidden="true"></span>
    <span class="unseen">${agent.title} ${WORDS[status]}</span></li>`;
}

function atWork(state, latest) {
  if (state.status === "queued") return "Waiting for a free worker …";
  const agent = AGENTS.find(({ name }) => latest?.agents[name]?.status === "working");
  return agent ? html`<strong>${agent.title}</strong> ${agent.does} …` : "";
}

function Steps({ state, isLive }) {
  const latest = latestAttempt(state)?.number ?? 0;
  const [chosen, setChosen] = useState(null);
  // A new attempt is what the reader wants to see, whatever was looked at before.
  useEffect(() => setChosen(null), [latest]);
  const number = chosen ?? latest;
  const attempt = state.attempts.find((each) => each.number === number);
  const retry = attempt && retryOf(attempt);
  const strip = useRef(null);
  // Of many attempts the strip shows only some: the one that is looked at is among them.
  useEffect(() => {
    const chip = strip.current.querySelector('[aria-pressed="true"]');
    if (chip) strip.current.scrollTo({ left: chip.offsetLeft - (strip.current.clientWidth - chip.offsetWidth) / 2 });
  }, [number, state.attempts.length]);
  return html`
    <div class="attempts" ref=${strip}>
      ${(state.attempts.length ? state.attempts : [{ number: 0, entries: [] }]).map(
        (each) => html`<button type="button" class="chip" aria-pressed=${each.number === number}
          onClick=${() => setChosen(each.number)}>Attempt ${each.number + 1}</button>`,
      )}
      <p class="retry">${retry ? nextAttemptInWords(retry.reason) : ""}</p>
    </div>
    <ol class="agents">${AGENTS.map((agent) => html`<${Agent} agent=${agent} work=${attempt?.agents[agent.name]}
      isLive=${isLive} />`)}</ol>
  `;
}

function Agent({ agent, work, isLive }) {
  const status = statusOf(work, isLive);
  return html`
    <li class="agent is-${status}">
      <span class="agent-head"><span class="lamp" aria-hidden="true"></span><strong>${agent.title}</strong>
        <span class="unseen">${WORDS[status]}</span></span>
      <span class="agent-found">${status === "done" ? finding(agent.name, work.trace, work.data) : agent.does}</span>
    </li>
  `;
}
