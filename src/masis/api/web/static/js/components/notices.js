import { html } from "../html.js";

/** What went wrong, and what to do about it. */
export function ProblemNote({ problem, onRetry }) {
  return html`
    <div class="note tone-bad" role="alert">
      <p><strong>${problem.message}</strong></p>
      ${problem.advice && html`<p>${problem.advice}</p>`}
      ${onRetry && html`<button type="button" onClick=${onRetry}>Try again</button>`}
    </div>
  `;
}

export function Waiting({ children = "Loading …" }) {
  return html`<p class="waiting" role="status">${children}</p>`;
}

/** The one place where short news are said, for eyes and for screen readers. */
export function Toasts({ toasts }) {
  return html`
    <div class="toasts" role="status" aria-live="polite">
      ${toasts.map((toast) => html`<p key=${toast.id} class="toast tone-${toast.tone}">${toast.text}</p>`)}
    </div>
  `;
}
