// Addresses of the page, and moving between them without loading it again.
import { html, useEffect, useState } from "./html.js";

/**
 * @typedef {{name: "home"|"ask"|"runs"|"run"|"documents"|"document"|"search"|"record"|"sources"|"settings"|"sign-in"|"nowhere", workspace?: string, id?: string}} Route
 * @returns {Route}
 */
export function parse(path) {
  const parts = path.split("/").filter(Boolean).map(decoded);
  if (parts.length === 0) return { name: "home" };
  if (parts.length === 1 && (parts[0] === "settings" || parts[0] === "sign-in")) return { name: parts[0] };
  if (parts[0] !== "w" || !parts[1] || parts.length > 4) return { name: "nowhere" };
  const [, workspace, view = "ask", id] = parts;
  if (["ask", "search", "record", "sources"].includes(view) && !id) return { name: view, workspace };
  if (view === "runs") return id ? { name: "run", workspace, id } : { name: "runs", workspace };
  if (view === "documents") return id ? { name: "document", workspace, id } : { name: "documents", workspace };
  return { name: "nowhere" };
}

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function addressOf(workspace, view = "ask", id = "") {
  return `/w/${encodeURIComponent(workspace)}/${view}${id ? `/${encodeURIComponent(id)}` : ""}`;
}

export function go(address, { replace = false } = {}) {
  if (address === location.pathname + location.search) return;
  history[replace ? "replaceState" : "pushState"](null, "", address);
  dispatchEvent(new PopStateEvent("popstate"));
}

/** @returns {Route & {query: URLSearchParams}} */
export function useRoute() {
  const [address, setAddress] = useState(location.pathname + location.search);
  useEffect(() => {
    const read = () => setAddress(location.pathname + location.search);
    addEventListener("popstate", read);
    return () => removeEventListener("popstate", read);
  }, []);
  const [path, query = ""] = address.split("?");
  return { ...parse(path), query: new URLSearchParams(query) };
}

export function Link({ to, children, ...rest }) {
  const follow = (event) => {
    // A new tab or window is the reader's own wish.
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    go(to);
  };
  return html`<a href=${to} onClick=${follow} ...${rest}>${children}</a>`;
}
