// Whether an answer, or a sentence of it, is right: what people say is kept with the run and counted in the track record.
import { call } from "../api.js";
import { useShared } from "../context.js";
import { html, useState } from "../html.js";
import { shortened } from "../logic/text.js";
import { useLoaded } from "../use_loaded.js";
import { Foreign } from "./signs.js";

const WHOLE = -1;
const CAUSES = ["wrong figure", "wrong period", "wrong document", "something is missing", "not what was asked"];

export function Feedback({ path, claims }) {
  const { mayWrite, session, tellProblem, notify } = useShared();
  const { value, reload } = useLoaded(`${path}/feedback`);
  const [isExplaining, setIsExplaining] = useState(false);
  const mine = (claim) => value?.find((each) => each.claim === claim && each.given_by === session.name);
  const give = async (claim, verdict, reason = null) => {
    try {
      await call("PUT", `${path}/feedback`, { verdict, reason, ...(claim !== WHOLE && { claim }) });
      reload();
      notify(verdict ? "Saved with the run." : "Taken back.");
    } catch (problem) {
      tellProblem(problem);
    }
  };
  const others = (value ?? []).filter((each) => each.claim === WHOLE && each.given_by !== session.name);
  const whole = mine(WHOLE);
  if (!value || (!mayWrite && !value.length)) return html`<div class="feedback"></div>`;
  const toggle = (verdict) => {
    setIsExplaining(verdict === "wrong" && whole?.verdict !== "wrong");
    give(WHOLE, whole?.verdict === verdict ? null : verdict);
  };
  return html`
    <section class="feedback" aria-label="Feedback">
      ${mayWrite && html`<p class="feedback-line"><span class="faint">Is this right?</span>
        <${Choice} of=${whole} onChoose=${toggle} name="the answer" />
        ${whole?.reason && html`<span class="faint">because <${Foreign}>${whole.reason}<//></span>`}</p>`}
      ${others.map((each) => html`<p class="faint"><${Foreign}>${each.given_by}<//>: ${each.verdict}${each.reason ? ` because ${each.reason}` : ""}</p>`)}
      ${isExplaining && html`<${Because} onSave=${(reason) => { setIsExplaining(false); give(WHOLE, "wrong", reason); }} />`}
      ${mayWrite && claims.length > 1 && html`<details><summary>Judge each sentence</summary><ul class="judged">
        ${claims.map((claim, index) => claim.kind !== "heading" && html`<li><span dir="auto">${shortened(claim.text.replace(/\s?\[[^\]]*\]/g, ""), 160)}</span>
          <${Choice} of=${mine(index)} name="sentence ${index + 1}"
            onChoose=${(verdict) => give(index, mine(index)?.verdict === verdict ? null : verdict)} /></li>`)}</ul></details>`}
    </section>
  `;
}

function Choice({ of, onChoose, name }) {
  const button = (verdict, word) => html`<button type="button" class="chip" aria-pressed=${of?.verdict === verdict}
    aria-label="${word}: ${name}" onClick=${() => onChoose(verdict)}>${word}</button>`;
  return html`<span class="choice-pair">${button("right", "Right")} ${button("wrong", "Wrong")}</span>`;
}

function Because({ onSave }) {
  const [reason, setReason] = useState("");
  return html`
    <form class="because" onSubmit=${(event) => { event.preventDefault(); onSave(reason.trim() || null); }}>
      <label for="because">Wrong because …</label>
      <div class="offers">${CAUSES.map((each) => html`<button type="button" class="chip" onClick=${() => setReason(each)}>${each}</button>`)}</div>
      <input id="because" type="text" maxlength="2000" value=${reason} onInput=${(event) => setReason(event.target.value)} />
      <button type="submit">Save</button>
    </form>
  `;
}
