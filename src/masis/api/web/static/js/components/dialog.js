// The browser's own dialog: it keeps the focus inside, closes with Escape, and gives the focus back.
import { html, useEffect, useRef } from "../html.js";
import { Icon } from "./signs.js";

export function Dialog({ title, onClose, children, className = "" }) {
  const element = useRef(null);
  useEffect(() => {
    const before = document.activeElement;
    element.current.showModal();
    return () => before instanceof HTMLElement && before.isConnected && before.focus();
  }, []);
  const onBackdrop = (event) => event.target === element.current && onClose();
  return html`
    <dialog ref=${element} class="dialog ${className}" aria-labelledby="dialog-title" onClose=${onClose}
      onMouseDown=${onBackdrop}>
      <div class="dialog-body">
        <div class="dialog-head">
          <h2 id="dialog-title">${title}</h2>
          <button type="button" class="quiet icon-only" aria-label="Close" onClick=${onClose}>
            <${Icon} name="close" /></button>
        </div>
        ${children}
      </div>
    </dialog>
  `;
}

/** Asks before something that cannot be taken back. */
export function Confirm({ title, children, action, onConfirm, onClose, busy = false }) {
  return html`
    <${Dialog} title=${title} onClose=${onClose}>
      <div class="prose">${children}</div>
      <div class="dialog-foot">
        <button type="button" onClick=${onClose}>Keep it</button>
        <button type="button" class="danger" disabled=${busy} onClick=${onConfirm}>${action}</button>
      </div>
    <//>
  `;
}
