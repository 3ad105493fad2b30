// Deleting a workspace with all that is in it: its name has to be typed, and a receipt says what went.
import { remove, workspacePath } from "../api.js";
import { useShared } from "../context.js";
import { html, useState } from "../html.js";
import { Dialog } from "./dialog.js";
import { ProblemNote } from "./notices.js";
import { Receipt } from "./receipt.js";

export function WorkspaceRemoval({ workspace }) {
  const { refreshWorkspaces, tellProblem } = useShared();
  const [isAsking, setIsAsking] = useState(false);
  const [receipt, setReceipt] = useState(null);
  const removed = (counted) => {
    setIsAsking(false);
    setReceipt(counted);
    refreshWorkspaces().catch(tellProblem);
  };
  return html`
    ${workspace && html`<section aria-labelledby="removal-title">
      <h2 id="removal-title">Delete ${workspace}</h2>
      <p>Deletes its documents, index, runs and standing decisions. This cannot be undone.</p>
      <button type="button" class="danger" onClick=${() => setIsAsking(true)}>Delete the workspace …</button>
    </section>`}
    ${isAsking && html`<${TypeItsName} workspace=${workspace} onRemoved=${removed} onClose=${() => setIsAsking(false)} />`}
    ${receipt && html`<${Receipt} receipt=${receipt} onClose=${() => setReceipt(null)} />`}
  `;
}

function TypeItsName({ workspace, onRemoved, onClose }) {
  const [typed, setTyped] = useState("");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState(null);
  const submit = async (event) => {
    event.preventDefault();
    setBusy(true);
    try {
      onRemoved(await remove(workspacePath(workspace)));
    } catch (refusal) {
      setProblem(refusal);
      setBusy(false);
    }
  };
  return html`
    <${Dialog} title="Delete the workspace?" onClose=${onClose}>
      <form onSubmit=${submit}>
        <p>Everything in <strong>${workspace}</strong> will be deleted: documents, index, runs, decisions.</p>
        <label for="typed-name">Type its name to confirm</label>
        <input id="typed-name" type="text" autocomplete="off" spellcheck="false" value=${typed}
          onInput=${(event) => setTyped(event.target.value)} />
        ${problem && html`<${ProblemNote} problem=${problem} />`}
        <div class="dialog-foot"><button type="button" onClick=${onClose}>Keep it</button>
          <button type="submit" class="danger" disabled=${busy || typed !== workspace}>Delete everything</button></div>
      </form>
    <//>
  `;
}
