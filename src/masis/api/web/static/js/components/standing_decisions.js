import { remove, workspacePath } from "../api.js";
import { useShared } from "../context.js";
import { html } from "../html.js";
import { moment } from "../logic/format.js";
import { personInWords } from "../logic/words.js";
import { useLoaded } from "../use_loaded.js";
import { ProblemNote } from "./notices.js";
import { Foreign } from "./signs.js";

/** What people decided about conflicts, applied to later questions until it is deleted. */
export function StandingDecisions({ workspace }) {
  const { mayWrite, tellProblem, notify } = useShared();
  const path = workspacePath(workspace, "/decisions");
  const { value, problem, reload } = useLoaded(path);
  const deleteDecision = async (decision) => {
    try {
      await remove(`${path}/${decision.decision_id}`);
      notify("Deleted: MASIS will ask about this conflict again.");
      reload();
    } catch (refusal) {
      tellProblem(refusal);
    }
  };
  return html`
    <section aria-labelledby="decisions-title">
      <h2 id="decisions-title">Standing decisions in ${workspace}</h2>
      ${problem && html`<${ProblemNote} problem=${problem} />`}
      ${value?.length === 0 && html`<p class="faint">None. Tick “Apply this to later questions” when you settle a conflict.</p>`}
      ${value?.length > 0 && html`<ul class="findings">${value.map((each) => html`<li>
        <${Decision} decision=${each} />${mayWrite && html`<button type="button"
        aria-label="Delete the decision on ${each.about}" onClick=${() => deleteDecision(each)}>Delete</button>`}</li>`)}</ul>`}
    </section>
  `;
}

function Decision({ decision }) {
  const what = decision.action === "prefer" ? html`trust <${Foreign}>${decision.prefer.join(", ")}<//> over <${Foreign}>
    ${decision.over.join(", ")}<//>` : "show and explain both sides";
  return html`<div class="grow"><strong><${Foreign}>${decision.about}
    ${decision.period ? ` (${decision.period})` : ""}<//></strong>: ${what}
    <p class="faint">${personInWords(decision.by)}, ${moment(decision.created_at)}${decision.note ? html`: “<${Foreign}>
    ${decision.note}<//>”` : ""}</p></div>`;
}
