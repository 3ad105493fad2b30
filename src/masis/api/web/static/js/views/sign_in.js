import { Problem, post } from "../api.js";
import { ProblemNote } from "../components/notices.js";
import { html, useEffect, useState } from "../html.js";

export function SignInView({ onSignedIn }) {
  const [key, setKey] = useState("");
  const [problem, setProblem] = useState(null);
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    document.title = "Sign in · MASIS";
  }, []);
  const submit = async (event) => {
    event.preventDefault();
    setBusy(true);
    setProblem(null);
    try {
      await onSignedIn(await post("/masis/session", { key: key.trim() }));
    } catch (refusal) {
      const advice = refusal.status === 401 ? "Check that all of it was copied, from masis_ to the end." : refusal.advice;
      setProblem(new Problem(refusal.status, { detail: refusal.message, advice }));
      setBusy(false);
    }
  };
  return html`
    <main class="sign-in" id="main">
      <form onSubmit=${submit}>
        <p class="brand">MASIS</p>
        <h1 tabindex="-1">Sign in</h1>
        <p>This service requires an API key. You stay signed in for twelve hours.</p>
        <label for="key">API key</label>
        <input id="key" type="password" required autocomplete="current-password" spellcheck="false" maxlength="200"
          placeholder="masis_…" value=${key} onInput=${(event) => setKey(event.target.value)} />
        ${problem && html`<${ProblemNote} problem=${problem} />`}
        <button type="submit" class="primary" disabled=${busy || !key.trim()}>Sign in</button>
        <p class="faint">No key? The operator can create one with <code>masis keys create</code>.</p>
      </form>
    </main>
  `;
}
