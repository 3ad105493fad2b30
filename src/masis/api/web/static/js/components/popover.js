// Something small beside what it explains: shown on hover and focus, stays while the pointer is on it, closes with Escape.
import { html, useEffect, useLayoutEffect, useRef, useState } from "../html.js";

const GAP = 8;
const LINGER = 180;

let isHandingBack = false;

/** Returns the focus to where it was without opening an explanation there. */
export function focusQuietly(element) {
  isHandingBack = true;
  element.focus();
  isHandingBack = false;
}

/** Below its anchor where there is room, above it otherwise; never beyond the window. */
function placed(card, anchor) {
  const at = anchor.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = card;
  const below = at.bottom + GAP + height <= innerHeight || at.top - GAP - height < 0;
  const left = Math.min(Math.max(at.left - 24, GAP), innerWidth - width - GAP);
  card.style.setProperty("left", `${Math.max(left, GAP)}px`);
  card.style.setProperty("top", `${below ? at.bottom + GAP : at.top - GAP - height}px`);
}

/**
 * @param {object} props
 * @param {(handlers: object) => unknown} props.anchor draws what is explained; the handlers go onto it
 */
export function Popover({ id, anchor, children, className = "" }) {
  const [isOpen, setIsOpen] = useState(false);
  const card = useRef(null);
  const target = useRef(null);
  const timer = useRef(0);

  const open = (event) => {
    clearTimeout(timer.current);
    target.current = event.currentTarget;
    setIsOpen(true);
  };
  const close = () => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setIsOpen(false), LINGER);
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  useLayoutEffect(() => {
    if (!isOpen) return undefined;
    placed(card.current, target.current);
    const onKey = (event) => event.key === "Escape" && setIsOpen(false);
    const onMove = () => setIsOpen(false);
    addEventListener("keydown", onKey);
    addEventListener("scroll", onMove, { capture: true, passive: true });
    return () => {
      removeEventListener("keydown", onKey);
      removeEventListener("scroll", onMove, { capture: true });
    };
  }, [isOpen]);

  // A click focuses too; who clicks wants what the click does.
  const onFocus = (event) => !isHandingBack && event.currentTarget.matches(":focus-visible") && open(event);
  const handlers = { onMouseEnter: open, onMouseLeave: close, onFocus, onBlur: close, "aria-describedby": isOpen ? id : undefined };
  return html`
    ${anchor(handlers)}
    ${isOpen &&
    html`<span ref=${card} id=${id} role="tooltip" class="popover ${className}"
      onMouseEnter=${() => clearTimeout(timer.current)} onMouseLeave=${close}>
      ${children}
    </span>`}
  `;
}
