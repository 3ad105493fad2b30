// What is configured, who may do what, and how the page looks.
import { Doctor } from "../components/doctor.js";
import { Keys } from "../components/keys.js";
import { StandingDecisions } from "../components/standing_decisions.js";
import { ShortcutList } from "../components/shortcut_list.js";
import { WorkspaceRemoval } from "../components/workspace_removal.js";
import { useShared } from "../context.js";
import { html, useEffect, useState } from "../html.js";
import { keep, recall } from "../browser_storage.js";
import { THEMES, setTheme, theme } from "../theme.js";

export function SettingsView({ onSignOut }) {
  const { session, isAdmin, workspace } = useShared();
  useEffect(() => {
    document.title = "Settings · MASIS";
  }, []);
  const everywhere = session.workspaces.includes("*");
  return html`
    <div class="page settings">
      <h1 tabindex="-1">Settings</h1>
      <section aria-labelledby="who-title">
        <h2 id="who-title">You</h2>
        <p>${session.csrf ? html`<${SignedInAs} session=${session} />` : NO_KEYS}</p>
        ${session.csrf && html`<button type="button" onClick=${onSignOut}>Sign out</button>`}
      </section>
      <${Appearance} />
      ${isAdmin && everywhere && html`<${Doctor} />`}
      ${workspace && html`<${StandingDecisions} workspace=${workspace} />`}
      ${isAdmin && html`<${Keys} />`}
      <section aria-labelledby="shortcuts-title"><h2 id="shortcuts-title">Keyboard shortcuts</h2><${ShortcutSwitch} />
        <${ShortcutList} /></section>
      ${isAdmin && html`<${WorkspaceRemoval} workspace=${workspace} />`}
    </div>
  `;
}

const NO_KEYS = "This service has no keys: anyone at this machine has full access.";

function SignedInAs({ session }) {
  const where = session.workspaces.includes("*") ? "all workspaces" : session.workspaces.join(", ");
  return html`Signed in as <strong>${session.name}</strong>, role ${session.role}, for ${where}.`;
}

function Appearance() {
  const [chosen, setChosen] = useState(theme());
  const choose = (value) => {
    setTheme(value);
    setChosen(value);
  };
  return html`
    <section aria-labelledby="theme-title">
      <h2 id="theme-title">Theme</h2>
      <div class="segments" role="group" aria-labelledby="theme-title">${THEMES.map((each) => html`<button type="button"
        aria-pressed=${chosen === each.value} onClick=${() => choose(each.value)}>${each.word}</button>`)}</div>
    </section>
  `;
}

function ShortcutSwitch() {
  const [on, setOn] = useState(recall("shortcuts", "on") === "on");
  const change = (event) => {
    keep("shortcuts", event.target.checked ? "on" : "off");
    setOn(event.target.checked);
  };
  return html`<label class="choice"><input type="checkbox" checked=${on}
    onChange=${change} /> Single-key shortcuts</label>`;
}
