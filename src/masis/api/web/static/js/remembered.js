// What this browser keeps: the theme, the last workspace, who decides. Without storage it keeps nothing, and works.

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
