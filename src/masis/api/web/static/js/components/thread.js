// The questions that belong together, on one line above the one that is shown.
import { workspacePath } from "../api.js";
import { html, useEffect, useRef } from "../html.js";
import { shortened } from "../logic/text.js";
import { Link, addressOf } from "../router.js";
import { useLoaded } from "../use_loaded.js";
import { Foreign } from "./signs.js";

/** The runs of a thread, the first one first. */
export function useThread(workspace, threadId, runId) {
  // Asked for again with every run: a follow-up makes the thread longer.
  const path = threadId && workspacePath(workspace, `/runs?limit=50&thread_id=${encodeURIComponent(threadId)}&of=${runId}`);
  return [...(useLoaded(path).value?.items ?? [])].reverse();
}

export function ThreadLine({ turns, runId, workspace }) {
  const strip = useRef(null);
  // Where not all fit, the one that is shown is among them.
  useEffect(() => {
    const chip = strip.current?.querySelector('[aria-current="page"]');
    if (chip) strip.current.scrollTo({ left: chip.offsetLeft - (strip.current.clientWidth - chip.offsetWidth) / 2 });
  }, [runId, turns.length]);
  if (turns.length < 2) return null;
  return html`<nav class="thread" aria-label="Thread"><ol ref=${strip}>${turns.map((turn) => html`<li>
    <${Link} to=${addressOf(workspace, "runs", turn.run_id)} class="chip"
      aria-current=${turn.run_id === runId ? "page" : undefined}><${Foreign}>${shortened(turn.asked ?? turn.question, 40)}<//><//></li>`)}</ol></nav>`;
}
