// The page: who is signed in, which workspace, which view.
import { all, call, get, onSignedOut, post, setToken } from "./api.js";
import { ShortcutHelp, Shell } from "./components/shell.js";
import { ProblemNote, Toasts, Waiting } from "./components/notices.js";
import { Shared } from "./context.js";
import { html, render, useCallback, useEffect, useMemo, useRef, useState } from "./html.js";
import { forgetUnasked, keep, recall } from "./browser_storage.js";
import { Link, addressOf, go, useRoute } from "./router.js";
import { moveSentence, openSource } from "./sentences.js";
import { learnWords } from "./logic/words.js";
import { useShortcuts } from "./shortcuts.js";
import { AskView } from "./views/ask.js";
import { DocumentView } from "./views/document.js";
import { DocumentsView } from "./views/documents.js";
import { RecordView } from "./views/record.js";
import { RunView } from "./views/run.js";
import { RunsView } from "./views/runs.js";
import { SearchView } from "./views/search.js";
import { SettingsView } from "./views/settings.js";
import { SourcesView } from "./views/sources.js";
import { SignInView } from "./views/sign_in.js";

const FIRST_WORKSPACE = "sample";
const TOAST_MS = 6000;

function App() {
  const [session, setSession] = useState(null);
  const [problem, setProblem] = useState(null);
  const begin = useCallback(async () => {
    setProblem(null);
    try {
      await signedIn(await get("/masis/session"));
    } catch (refusal) {
      if (refusal.status === 401) setSession(false);
      else setProblem(refusal);
    }
  }, []);
  const signedIn = async (found) => {
    setToken(found.csrf);
    learnWords(await get("/masis/wording"));
    setSession(found);
  };
  useEffect(() => {
    onSignedOut(() => setSession(false));
    begin();
  }, []);
  const signIn = useCallback(async (key) => signedIn(await post("/masis/session", { key })), []);
  const signOut = async () => {
    await call("DELETE", "/masis/session").catch(() => {});
    forgetUnasked();
    setSession(false);
    go("/");
  };
  if (problem) return html`<main class="page"><h1>MASIS</h1>
    <${ProblemNote} problem=${problem} onRetry=${begin} /></main>`;
  if (session === null) return html`<main class="page"><h1 class="unseen">MASIS</h1><${Waiting} /></main>`;
  if (session === false) return html`<${SignInView} onSignedIn=${signedIn} />`;
  return html`<${SignedIn} session=${session} signIn=${signIn} onSignOut=${signOut} />`;
}

function SignedIn({ session, signIn, onSignOut }) {
  const route = useRoute();
  const [workspaces, setWorkspaces] = useState(null);
  const [problem, setProblem] = useState(null);
  const { toasts, notify } = useToasts();
  const [isHelping, setIsHelping] = useState(false);
  const refreshWorkspaces = useCallback(async () => {
    const found = await all("/masis/workspaces");
    setWorkspaces(found);
    return found;
  }, []);
  const load = () => refreshWorkspaces().then(() => setProblem(null), setProblem);
  useEffect(() => {
    load();
  }, []);
  const workspace = workspaceOf(route, workspaces ?? []);
  useEffect(() => {
    if (route.workspace) keep("workspace", route.workspace);
  }, [route.workspace]);
  useFocusOnMove(route);
  useShortcuts(shortcutsFor(workspace, () => setIsHelping(true)));
  const shared = useMemo(
    () => ({
      ...{ session, signIn, workspaces: workspaces ?? [], workspace, refreshWorkspaces, notify },
      tellProblem: (refusal) => notify([refusal.message, refusal.advice].filter(Boolean).join(" "), "bad"),
      mayWrite: session.role !== "read",
      isAdmin: session.role === "admin",
    }),
    [session, workspaces, workspace],
  );
  return html`
    <${Shared.Provider} value=${shared}>
      <${Shell} route=${route}>
        ${problem ? html`<div class="page"><${ProblemNote} problem=${problem}
          onRetry=${load} /></div>` : !workspaces ? html`<div class="page">
          <${Waiting} /></div>` : html`<${View} route=${route} workspace=${workspace} onSignOut=${onSignOut} />`}
      <//>
      ${isHelping && html`<${ShortcutHelp} onClose=${() => setIsHelping(false)} />`}
      <${Toasts} toasts=${toasts} />
    <//>
  `;
}

/** The address decides; else the one used last, else the first there is. */
function workspaceOf(route, workspaces) {
  if (route.workspace) return route.workspace;
  const last = recall("workspace");
  if (workspaces.some((each) => each.workspace_id === last)) return last;
  return workspaces[0]?.workspace_id ?? null;
}

function View({ route, workspace, onSignOut }) {
  useEffect(() => {
    if ((route.name === "home" || route.name === "sign-in") && workspace) go(addressOf(workspace), { replace: true });
  }, [route.name, workspace]);
  // Another workspace or another run is another view: nothing of the one before may be left in it.
// A first visit has no workspace address yet: what it started continues when it has one.
  const first = workspace ?? FIRST_WORKSPACE;
  if (["ask", "home", "sign-in"].includes(route.name)) return html`<${AskView} key=${first} workspace=${first}
    isNew=${!workspace} />`;
  if (route.name === "search") return html`<${SearchView} key=${workspace} workspace=${workspace}
    query=${route.query.get("q") ?? ""} />`;
  if (route.name === "record") return html`<${RecordView} key=${workspace} workspace=${workspace} />`;
  if (route.name === "sources") return html`<${SourcesView} key=${workspace} workspace=${workspace} />`;
  if (route.name === "runs") return html`<${RunsView} key=${workspace} workspace=${workspace} />`;
  if (route.name === "run") return html`<${RunView} key=${`${workspace}/${route.id}`} workspace=${workspace}
    runId=${route.id} />`;
  if (route.name === "documents") return html`<${DocumentsView} key=${workspace} workspace=${workspace} />`;
  if (route.name === "document") return html`<${DocumentView} key=${route.id} workspace=${workspace}
    documentId=${route.id} query=${route.query} />`;
  if (route.name === "settings") return html`<${SettingsView} onSignOut=${onSignOut} />`;
  return html`<div class="page"><h1 tabindex="-1">Page not found</h1><p>
    <${Link} to="/">Go to the question box<//></p></div>`;
}

function useToasts() {
  const [toasts, setToasts] = useState([]);
  const notify = useCallback((text, tone = "plain") => {
    const toast = { id: `${Date.now()}-${Math.random()}`, text, tone };
    setToasts((known) => [...known, toast]);
    setTimeout(() => setToasts((known) => known.filter((each) => each !== toast)), TOAST_MS);
  }, []);
  return { toasts, notify };
}

/** A reader who moves by keyboard or screen reader is taken along to the new view. */
function useFocusOnMove(route) {
  const address = [route.name, route.workspace, route.id].join("/");
  const isFirst = useRef(true);
  useEffect(() => {
    if (!isFirst.current && !["TEXTAREA", "INPUT"].includes(document.activeElement?.tagName)) document.getElementById("main")?.focus({ preventScroll: true });
    isFirst.current = false;
    scrollTo(0, 0);
  }, [address]);
}

function shortcutsFor(workspace, onHelp) {
  const to = (view) => () => workspace && go(addressOf(workspace, view));
  const toQuestion = () => {
    const box = document.getElementById("question");
    if (box) box.focus();
    else to("ask")();
  };
  return {
    "?": onHelp,
    "/": toQuestion,
    "g a": to("ask"),
    "g f": to("search"),
    "g r": to("runs"),
    "g d": to("documents"),
    "g s": () => go("/settings"),
    j: () => moveSentence(1),
    k: () => moveSentence(-1),
    o: openSource,
  };
}

render(html`<${App} />`, document.getElementById("app"));
