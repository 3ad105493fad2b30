import { keep, recall } from "./browser_storage.js";

export const THEMES = [
  { value: "system", word: "As the system" },
  { value: "light", word: "Light" },
  { value: "dark", word: "Dark" },
];

export function theme() {
  return recall("theme", "system");
}

export function setTheme(value) {
  keep("theme", value);
  document.documentElement.dataset.theme = value;
}
