// Talking to the service. Every refusal is a Problem with a sentence and advice.

// The service's advice is for programs and the command line; readers of the page need other words.
const ADVICE = {
  unknown_run: "It may have been deleted. The others are under Runs.",
  unknown_document: "It may have been deleted. The others are under Documents.",
  unknown_workspace: "It may have been deleted, or your key has no access. Choose another one in the list of workspaces.",
  unauthorized: "Sign in again with your key.",
};

export class Problem extends Error {
  constructor(status, body = {}) {
    super(body.detail || body.title || "The service could not be reached.");
    this.status = status;
    this.code = body.code ?? "";
    this.advice = ADVICE[this.code] ?? body.advice ?? "";
    this.body = body;
  }
}

const UNREACHABLE = { detail: "The service does not respond.", code: "unreachable", advice: "Check that `masis serve` runs; nothing was lost." };

let token = null;
let whenSignedOut = () => {};

export function setToken(csrf) {
  token = csrf;
}

export function onSignedOut(listener) {
  whenSignedOut = listener;
}

export function workspacePath(workspace, rest = "") {
  return `/masis/workspaces/${encodeURIComponent(workspace)}${rest}`;
}

function changing() {
  return token ? { "X-CSRF-Token": token } : {};
}

/** @returns {Promise<Response>} */
export async function call(method, path, body) {
  const headers = { Accept: "application/json", ...(method === "GET" ? {} : changing()) };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let response;
  try {
    response = await fetch(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
  } catch {
    throw new Problem(0, UNREACHABLE);
  }
  if (!response.ok) throw await refused(response);
  return response;
}

async function refused(response) {
  return told(new Problem(response.status, await response.json().catch(() => ({}))));
}

/** A user whose session ended is asked to sign in again, whatever they were doing. */
function told(problem) {
  if (problem.status === 401) whenSignedOut(problem);
  return problem;
}

async function json(method, path, body) {
  const response = await call(method, path, body);
  return response.status === 204 ? null : response.json();
}

export const get = (path) => json("GET", path);
export const post = (path, body) => json("POST", path, body);
export const remove = (path) => json("DELETE", path);

/** All items of a list that comes in pages, at most `most`. */
export async function all(path, most = 1000) {
  const items = [];
  let cursor = null;
  do {
    const glue = path.includes("?") ? "&" : "?";
    const page = await get(`${path}${glue}limit=200${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ""}`);
    items.push(...page.items);
    cursor = page.next_cursor;
  } while (cursor && items.length < most);
  return items;
}

/** With progress, which `fetch` does not tell. @returns {Promise<object>} what the service accepted */
export function upload(path, files, onProgress = () => {}) {
  return new Promise((resolve, reject) => {
    const form = new FormData();
    for (const file of files) form.append("files", file, file.name);
    const request = new XMLHttpRequest();
    request.open("POST", path);
    for (const [name, value] of Object.entries(changing())) request.setRequestHeader(name, value);
    request.upload.onprogress = (event) => onProgress(event.total ? event.loaded / event.total : 0);
    request.onerror = () => reject(new Problem(0, UNREACHABLE));
    request.onload = () => {
      const body = parsed(request.responseText);
      if (request.status < 300) resolve(body);
      else reject(told(new Problem(request.status, body)));
    };
    request.send(form);
  });
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
