// What this browser keeps: the theme, the last workspace, who decides, and for its tab a question that is not asked yet.
// Without storage it keeps nothing, and works.

export function recall(name, otherwise = "") {
  try {
    return localStorage.getItem(`masis.${name}`) ?? otherwise;
  } catch {
    return otherwise;
  }
}

export function keep(name, value) {
  try {
    localStorage.setItem(`masis.${name}`, value);
  } catch {
    // A browser that stores nothing.
  }
}

const QUESTION = "masis.question.";

/** What was typed and not asked, until the tab is closed. */
export function unaskedQuestion(workspace) {
  try {
    return sessionStorage.getItem(QUESTION + workspace) ?? "";
  } catch {
    return "";
  }
}

export function keepUnasked(workspace, question) {
  try {
    if (question) sessionStorage.setItem(QUESTION + workspace, question);
    else sessionStorage.removeItem(QUESTION + workspace);
  } catch {
    // A browser that stores nothing.
  }
}

/** Whoever signs in next is somebody else, perhaps. */
export function forgetUnasked() {
  try {
    const names = Object.keys(sessionStorage).filter((name) => name.startsWith(QUESTION));
    names.forEach((name) => sessionStorage.removeItem(name));
  } catch {
    // A browser that stores nothing.
  }
}
