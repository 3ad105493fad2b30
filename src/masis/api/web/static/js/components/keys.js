// API keys: made here, shown once, revoked at once.
import { all, post, remove } from "../api.js";
import { copy } from "../clipboard.js";
import { useShared } from "../context.js";
import { html, useState } from "../html.js";
import { moment } from "../logic/format.js";
import { revocationWarnings } from "../logic/key_warnings.js";
import { useLoaded } from "../use_loaded.js";
import { Confirm, Dialog } from "./dialog.js";
import { ProblemNote } from "./notices.js";
import { Foreign } from "./signs.js";

export function Keys() {
  const { session, signIn, tellProblem } = useShared();
  const isFirst = !session.csrf;
  const keys = useLoaded("/masis/keys", all);
  const me = useLoaded("/masis/me");
  const [made, setMade] = useState(null);
  const [revoking, setRevoking] = useState(null);
  const create = async (wanted) => {
    try {
      const key = await post("/masis/keys", wanted);
      setMade(key);
      // From the first key on this page needs one too: without it the token just shown would be lost with the page.
      if (isFirst) await signIn(key.token);
      me.reload();
      keys.reload();
    } catch (problem) {
      tellProblem(problem);
    }
  };
  const revoke = async () => {
    await remove(`/masis/keys/${revoking.key_id}`).catch(tellProblem);
    setRevoking(null);
    keys.reload();
  };
  return html`
    <section aria-labelledby="keys-title">
      <h2 id="keys-title">API keys</h2>
      <p class="faint">Once the first key exists, everyone needs a key, including on this page.</p>
      ${keys.problem && html`<${ProblemNote} problem=${keys.problem} />`}
      ${keys.value?.length > 0 && html`<ul class="findings">${keys.value.map((key) => html`<li>
        <${KeyRow} apiKey=${key} onRevoke=${() => setRevoking(key)} /></li>`)}</ul>`}
      <${NewKey} onCreate=${create} isFirst=${isFirst} />
      ${made && html`<${Made} made=${made} onClose=${() => setMade(null)} />`}
      ${revoking && html`<${Confirm} title="Revoke this key?" action="Revoke the key" onConfirm=${revoke}
        onClose=${() => setRevoking(null)}><strong><${Foreign}>
        ${revoking.name}<//></strong> stops working at once, and everyone signed in with it is signed out.
        ${revocationWarnings(revoking, keys.value, me.value?.key_id).map((each) => html`<p class="note tone-bad">${each}</p>`)}<//>`}
    </section>
  `;
}

function KeyRow({ apiKey, onRevoke }) {
  const where = apiKey.workspaces.includes("*") ? "all workspaces" : apiKey.workspaces.join(", ");
  const until = apiKey.expires_at && `until ${moment(apiKey.expires_at)}`;
  const used = apiKey.last_used_at ? `last used ${moment(apiKey.last_used_at)}` : "never used";
  const facts = [`role ${apiKey.role}`, where, until, used];
  return html`
    <div class="grow"><strong><${Foreign}>${apiKey.name}<//></strong> <code>${apiKey.prefix}…</code>
      <p class="faint">${facts.filter(Boolean).join(" · ")}</p></div>
    ${apiKey.revoked_at ? html`<span class="faint">Revoked ${moment(apiKey.revoked_at)}</span>` : html`<button type="button" aria-label="Revoke ${apiKey.name}" onClick=${onRevoke}>Revoke</button>`}
  `;
}

const BLANK = { name: "", role: "write", workspaces: "*", expires: "90d" };
// Somebody must be able to make the others, and to get in again.
const FIRST = { name: "", role: "admin", workspaces: "*", expires: "" };

function NewKey({ onCreate, isFirst }) {
  const [wanted, setWanted] = useState(isFirst ? FIRST : BLANK);
  const set = (name) => (event) => setWanted({ ...wanted, [name]: event.target.value });
  const submit = async (event) => {
    event.preventDefault();
    const workspaces = wanted.workspaces.split(/[\s,]+/).filter(Boolean);
    await onCreate({ name: wanted.name.trim(), role: wanted.role, workspaces, ...(wanted.expires.trim() && { expires: wanted.expires.trim() }) });
    setWanted(BLANK);
  };
  return html`
    <details class="new-key">
      <summary>Create a key</summary>
      <form class="filters" onSubmit=${submit}>
        <label class="grow">Name<input type="text" required maxlength="100" value=${wanted.name} onInput=${set("name")}
          placeholder="Ada's notebook" /></label>
        <label>Role<select value=${wanted.role} disabled=${isFirst} onChange=${set("role")}>
          <option value="read">Read</option><option value="write">Write</option>
          <option value="admin">Admin</option></select></label>
        <label>For workspaces<input type="text" required disabled=${isFirst} value=${wanted.workspaces}
          onInput=${set("workspaces")} aria-describedby="workspaces-hint" /></label>
        <label>Expires<input type="text" value=${wanted.expires} onInput=${set("expires")}
          aria-describedby="expires-hint" /></label>
        <button type="submit" class="primary">Create the key</button>
      </form>
      ${isFirst && html`<p>The first key is an admin key for all workspaces; this page signs in with it.</p>`}
      <p class="faint" id="workspaces-hint">Workspace names, separated by commas; * for all.</p>
      <p class="faint" id="expires-hint">A duration (12h, 30d, 8w) or a date; leave empty for no expiry.</p>
    </details>
  `;
}

function Made({ made, onClose }) {
  const { notify } = useShared();
  return html`
    <${Dialog} title="Your new key" onClose=${onClose}>
      <p>Save it now: it cannot be shown again.</p>
      <p class="token"><code>${made.token}</code></p>
      <div class="dialog-foot">
        <button type="button"
          onClick=${() => copy(made.token).then(() => notify("The key is copied."))}>Copy the key</button>
        <button type="button" class="primary" onClick=${onClose}>I have saved it</button>
      </div>
    <//>
  `;
}
