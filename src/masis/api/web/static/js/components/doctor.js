import { html } from "../html.js";
import { useLoaded } from "../use_loaded.js";
import { ProblemNote, Waiting } from "./notices.js";
import { Foreign, Sign } from "./signs.js";

const STATES = {
  ok: { word: "works", tone: "good", shape: "disc" },
  note: { word: "note", tone: "doubt", shape: "triangle" },
  bad: { word: "does not work", tone: "bad", shape: "cross" },
};

/** What is configured, and whether it works: tried, not assumed. */
export function Doctor() {
  const { value, problem, reload } = useLoaded("/masis/doctor");
  return html`
    <section aria-labelledby="doctor-title">
      <h2 id="doctor-title">What is configured</h2>
      ${problem && html`<${ProblemNote} problem=${problem} onRetry=${reload} />`}
      ${!value && !problem && html`<${Waiting}>Checking …<//>`}
      ${value &&
      html`<ul class="findings">${value.map((finding) => html`<li><${Sign} sign=${STATES[finding.state]} /><div>
        <strong>${finding.part}</strong> <span><${Foreign}>${finding.found}<//></span>
        ${finding.advice && html`<p class="faint">${finding.advice}</p>`}</div></li>`)}</ul>
        <button type="button" class="quiet" onClick=${reload}>Try again</button>`}
    </section>
  `;
}
