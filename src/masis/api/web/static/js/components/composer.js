// The question box.
import { post, workspacePath } from "../api.js";
import { useShared } from "../context.js";
import { html, useEffect, useState } from "../html.js";
import { keepUnasked, unaskedQuestion } from "../browser_storage.js";
import { scopeProblem } from "../logic/scope.js";
import { addressOf, go } from "../router.js";
import { Scope } from "./scope.js";

const LONGEST = 4000;

/** Asks, and goes to the run. @param {object} [more] its thread, its filters, whether it is to be completed */
export async function ask(workspace, question, more = {}) {
  const run = await post(workspacePath(workspace, "/runs"), { query: question, ...more });
  go(addressOf(workspace, "runs", run.run_id));
}

/**
 * @param {object} props
 * @param {string} [props.thread] what the question follows up on
 * @param {object} [props.filters] where it looks, to begin with
 * @param {{text: string}|null} [props.given] a question to edit and ask as it then stands
 * @param {string[]} [props.offers] follow-ups to click
 */
export function Composer({ workspace, label = "Your question", rows = 3, thread, filters = {}, given = null, offers = [] }) {
  const { tellProblem, mayWrite } = useShared();
  const [question, setQuestion] = useState(() => (given ? given.text : unaskedQuestion(workspace)));
  const [scope, setScope] = useState(filters);
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    if (!given) return;
    // An empty one is there from the start: set again here, it would erase what was typed at once.
    if (given.text) setQuestion(given.text);
    document.getElementById("question").focus();
  }, [given]);
  const send = async (text, more = {}) => {
    if (busy || scopeProblem(scope)) return;
    setBusy(true);
    // Forgotten before the run is shown: its own question box would begin with it.
    keepUnasked(workspace, "");
    await ask(workspace, text, { filters: scope, ...(thread && { thread_id: thread }), ...more }).catch((problem) => {
      keepUnasked(workspace, text);
      tellProblem(problem);
    });
    setBusy(false);
  };
  const submit = (event) => {
    event.preventDefault();
    if (!question.trim()) document.getElementById("question").focus();
    else send(question.trim(), thread && given ? { complete: false } : {});
  };
  const typed = (event) => {
    setQuestion(event.target.value);
    keepUnasked(workspace, event.target.value);
  };
  const onKey = (event) => event.key === "Enter" && !event.shiftKey && !event.isComposing && submit(event);
  if (!mayWrite) return html`<p class="note">Your key can read answers but not ask.</p>`;
  return html`
    <form class="composer" onSubmit=${submit}>
      <label for="question">${label}</label>
      <textarea id="question" rows=${rows} maxlength=${LONGEST} value=${question}
        placeholder=${thread ? "Ask about this answer …" : `Ask what the documents of ${workspace} say …`}
        onInput=${typed} onKeyDown=${onKey}></textarea>
      ${offers.length > 0 && html`<div class="offers">${offers.map((each) => html`<button type="button" class="chip"
        disabled=${busy} onClick=${() => send(each)}>${each}</button>`)}</div>`}
      <div class="composer-foot"><${Scope} workspace=${workspace} filters=${scope} onChange=${setScope} id="scope" />
        <button type="submit" class="primary" disabled=${busy}>${busy ? "Asking …" : "Ask"}</button></div>
    </form>
  `;
}
