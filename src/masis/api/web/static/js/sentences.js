// Moving from sentence to sentence of an answer by keyboard.

function marks() {
  return [...document.querySelectorAll(".sentence .verdict")];
}

export function moveSentence(step) {
  const all = marks();
  if (!all.length) return;
  const at = all.indexOf(document.activeElement);
  const next = at < 0 ? (step > 0 ? 0 : all.length - 1) : Math.min(Math.max(at + step, 0), all.length - 1);
  all[next].focus();
  all[next].closest(".sentence").scrollIntoView({ block: "nearest" });
}

/** The first citation of the sentence that has the focus. */
export function openSource() {
  document.activeElement?.closest(".sentence")?.querySelector("button.citation")?.click();
}
