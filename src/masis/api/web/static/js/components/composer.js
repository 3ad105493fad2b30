// The question box.
import { post, workspacePath } from "../api.js";
import { useShared } from "../context.js";
import { html, useState } from "../html.js";
import { keepUnasked, unaskedQuestion } from "../browser_storage.js";
import { addressOf, go } from "../router.js";

const LONGEST = 4000;

/** Asks, and goes to the run. */
export async function ask(workspace, question) {
  const run = await post(workspacePath(workspace, "/runs"), { query: question });
  go(addressOf(workspace, "runs", run.run_id));
}

export function Composer({ workspace, label = "Your question", rows = 3 }) {
  const { tellProblem, mayWrite } = useShared();
  const [question, setQuestion] = useState(() => unaskedQuestion(workspace));
  const [busy, setBusy] = useState(false);
  const submit = async (event) => {
    event.preventDefault();
    if (!question.trim()) {
      document.getElementById("question").focus();
      return;
    }
    if (busy) return;
    setBusy(true);
    // Forgotten before the run is shown: its own question box would begin with it.
    keepUnasked(workspace, "");
    await ask(workspace, question.trim()).catch((problem) => {
      keepUnasked(workspace, question);
      tellProblem(problem);
    });
    setBusy(false);
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
        placeholder="Ask what the documents of ${workspace} say …"
        onInput=${typed} onKeyDown=${onKey}></textarea>
      <div class="composer-foot"><span class="faint">Enter to ask, Shift + Enter for a new line</span>
        <button type="submit" class="primary" disabled=${busy}>${busy ? "Asking …" : "Ask"}</button></div>
    </form>
  `;
}
