// Single-key shortcuts, except while typing. They can be switched off in the settings: speech input presses keys by accident.
import { useEffect } from "./html.js";
import { recall } from "./browser_storage.js";

export const SHORTCUTS = [
  ["?", "Show the keyboard shortcuts"],
  ["/", "Go to the question box"],
  ["g a", "Ask"],
  ["g f", "Find passages"],
  ["g r", "Runs"],
  ["g d", "Documents"],
  ["g s", "Settings"],
  ["j", "Next sentence of the answer"],
  ["k", "Previous sentence"],
  ["o", "Open the source of the sentence"],
  ["+", "Zoom in on a PDF page"],
  ["-", "Zoom out"],
  ["0", "Fit the page to its frame"],
  ["Escape", "Close the source, a dialog or a menu"],
];

const PAUSE = 1200;

function isTyping(target) {
  return target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName);
}

/** @param {Record<string, () => void>} actions by key or by two keys, “g r” */
export function useShortcuts(actions) {
  useEffect(() => {
    let first = "";
    let timer = 0;
    const pressed = (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || recall("shortcuts", "on") === "off") return;
      if (isTyping(event.target) || document.querySelector("dialog[open]")) return;
      const keys = first ? `${first} ${event.key}` : event.key;
      first = event.key === "g" && !first ? "g" : "";
      clearTimeout(timer);
      timer = setTimeout(() => (first = ""), PAUSE);
      if (!actions[keys]) return;
      event.preventDefault();
      actions[keys]();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  });
}
