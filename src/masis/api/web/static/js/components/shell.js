// What is around every view: where one is, and where one can go.
import { post, workspacePath } from "../api.js";
import { useShared } from "../context.js";
import { html, useEffect, useState } from "../html.js";
import { Link, addressOf, go } from "../router.js";
import { useLoaded } from "../use_loaded.js";
import { Dialog } from "./dialog.js";
import { ProblemNote } from "./notices.js";
import { ShortcutList } from "./shortcut_list.js";
import { Icon } from "./signs.js";

const PLACES = [
  ["ask", "Ask"],
  ["search", "Search"],
  ["runs", "Runs"],
  ["documents", "Documents"],
];

export function Shell({ route, children }) {
  const { workspace, session } = useShared();
  const current = { run: "runs", record: "runs", document: "documents", sources: "documents" }[route.name] ?? route.name;
  const place = (name, word, address) => html`<li><${Link} to=${address}
    aria-current=${current === name ? "page" : undefined}><${Icon} name=${name} /><span>${word}</span>
    ${name === "runs" && waiting > 0 && html`<span class="badge">${waiting}<span class="unseen"> need a decision</span></span>`}<//></li>`;
  const waiting = useWaiting(workspace, [route.name, route.id].join());
  return html`
    <a class="skip" href="#main">Skip to content</a>
    <header class="side-nav">
      <${Link} to=${workspace ? addressOf(workspace) : "/"} class="brand" aria-label="MASIS, ask a question"><${Mark} />
        <span>MASIS</span><//>
      <${WorkspaceSwitch} route=${route} />
      <nav aria-label="Main">
        <ul>
          ${workspace && PLACES.map(([name, word]) => place(name, word, addressOf(workspace, name)))}
          ${place("settings", "Settings", "/settings")}
        </ul>
      </nav>
      <p class="signed-in faint"><${Icon} name="person" /> ${session.csrf ? `${session.name} (${session.role})` : "On this machine"}</p>
    </header>
    <main id="main" tabindex="-1">${children}</main>
  `;
}

const LOOK_AGAIN = 30_000;
const MOST_WAITING = 50;

/** How many runs need a decision; looked up with every move, and now and then. */
function useWaiting(workspace, place) {
  const path = workspace ? workspacePath(workspace, `/runs?status=waiting&limit=${MOST_WAITING}`) : null;
  const { value, reload } = useLoaded(path);
  useEffect(() => {
    reload();
    const timer = setInterval(() => !document.hidden && reload(), LOOK_AGAIN);
    return () => clearInterval(timer);
  }, [place]);
  return value?.items.length ?? 0;
}

/** Two sides and the line that settles them. */
function Mark() {
  return html`<svg class="mark" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
    <rect x="1" y="1" width="22" height="22" rx="6" /><path d="M6.5 16.5V8l5.5 5 5.5-5v8.5" /></svg>`;
}

function WorkspaceSwitch({ route }) {
  const { workspaces, workspace, isAdmin } = useShared();
  const [isMaking, setIsMaking] = useState(false);
  const view = { run: "runs", document: "documents" }[route.name] ?? (route.workspace ? route.name : "ask");
  return html`
    <div class="workspace-switch">
      <div>
        <label class="label" for="workspace">Workspace</label>
        <select id="workspace" value=${workspace ?? ""} disabled=${!workspaces.length}
          onChange=${(event) => go(addressOf(event.target.value, view))}>
          ${!workspaces.some((each) => each.workspace_id === workspace) && html`<option value=${workspace ?? ""}>
            ${workspace ?? "none yet"}</option>`}
          ${workspaces.map((each) => html`<option value=${each.workspace_id}>${each.workspace_id}</option>`)}
        </select>
      </div>
      ${isAdmin && html`<button type="button" class="quiet icon-only" aria-label="New workspace"
        onClick=${() => setIsMaking(true)}><${Icon} name="plus" /></button>`}
    </div>
    ${isMaking && html`<${NewWorkspace} onClose=${() => setIsMaking(false)} />`}
  `;
}

function NewWorkspace({ onClose }) {
  const { refreshWorkspaces } = useShared();
  const [name, setName] = useState("");
  const [problem, setProblem] = useState(null);
  const submit = async (event) => {
    event.preventDefault();
    try {
      await post("/masis/workspaces", { name });
      await refreshWorkspaces();
      onClose();
      go(addressOf(name));
    } catch (refusal) {
      setProblem(refusal);
    }
  };
  return html`
    <${Dialog} title="New workspace" onClose=${onClose}>
      <form onSubmit=${submit}>
        <p>Documents, runs and keys belong to exactly one workspace and are never shared.</p>
        <label for="workspace-name">Name</label>
        <input id="workspace-name" type="text" required maxlength="64" pattern="[A-Za-z0-9][A-Za-z0-9._\\-]*"
          title="Letters, digits, dots, hyphens or underscores; a letter or a digit first" value=${name}
          onInput=${(event) => setName(event.target.value)} />
        ${problem && html`<${ProblemNote} problem=${problem} />`}
        <div class="dialog-foot"><button type="button" onClick=${onClose}>Cancel</button>
          <button type="submit" class="primary">Create</button></div>
      </form>
    <//>
  `;
}

export function ShortcutHelp({ onClose }) {
  return html`<${Dialog} title="Keyboard shortcuts" onClose=${onClose}><${ShortcutList} /><//>`;
}
