// A run, live: its record, its events as state, its result once there is one.
import { get, workspacePath } from "./api.js";
import { useCallback, useEffect, useReducer, useRef, useState } from "./html.js";
import { EMPTY, after, isStill } from "./logic/run_state.js";
import { follow } from "./stream.js";

const KINDS = ["queued", "started", "finished", "draft", "waiting", "answered", "ended", "cancelled", "failed"];

const LOOK_AGAIN = 4000;
const HAS_RESULT = ["finished", "waiting"];

const reduce = (state, event) => (event === null ? EMPTY : after(state, event));

export function useRun(workspace, runId) {
  const path = workspacePath(workspace, `/runs/${encodeURIComponent(runId)}`);
  const [state, tell] = useReducer(reduce, EMPTY);
  const [record, setRecord] = useState(null);
  const [result, setResult] = useState(null);
  const [problem, setProblem] = useState(null);
  const [link, setLink] = useState("live");
  const [round, setRound] = useState(0);
  const seen = useRef({ path: "", seq: -1, loaded: "" });

  useEffect(() => {
    if (seen.current.path !== path) {
      seen.current = { path, seq: -1, loaded: "" };
      tell(null);
      setRecord(null);
      setResult(null);
      setProblem(null);
    }
    let gone = false;
    const load = async () => {
      const latest = await get(path);
      if (gone) return true;
      if (!isStill(latest.status)) {
        setRecord(latest);
        return false;
      }
      // The stream's end says again what the first look has found.
      const mark = [latest.status, latest.attempts, latest.finished_at].join(" ");
      if (mark === seen.current.loaded) return true;
      // The record last: the page shows how the run ended together with what came of it.
      const found = HAS_RESULT.includes(latest.status) ? await get(`${path}/result`) : null;
      if (!gone) {
        seen.current.loaded = mark;
        setResult(found);
        setRecord(latest);
      }
      return true;
    };
    // The run, or the right to see it, went while it was followed.
    const lost = (refusal) => {
      if (!gone && (refusal.status === 403 || refusal.status === 404)) setProblem(refusal);
      throw refusal;
    };
    load().catch((refusal) => !gone && refusal.status !== 0 && setProblem(refusal));
    const stop = follow({
      url: () => `${path}/events?after=${seen.current.seq}`,
      kinds: KINDS,
      isOver: () => load().catch(lost),
      onLink: (latest) => !gone && setLink(latest),
      onEvent: (event) => {
        if (event.seq != null) seen.current.seq = Math.max(seen.current.seq, event.seq);
        tell(event);
      },
    });
    return () => {
      gone = true;
      stop();
    };
  }, [path, round]);

  /** The run continues after a person's answer: follow it again. */
  const resumed = useCallback((latest) => {
    seen.current.loaded = "";
    setRecord(latest);
    setResult(null);
    setRound((count) => count + 1);
  }, []);

  const isWaiting = record?.status === "waiting";
  // Somebody may answer in another tab, or by another way: nothing tells this page, so it asks now and then.
  useEffect(() => {
    if (!isWaiting) return undefined;
    const look = async () => {
      if (document.hidden) return;
      const latest = await get(path).catch((refusal) => void (refusal.status === 404 && setProblem(refusal)));
      if (latest && latest.status !== "waiting") resumed(latest);
    };
    const timer = setInterval(look, LOOK_AGAIN);
    document.addEventListener("visibilitychange", look);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, [isWaiting, path]);

  return { path, state, record, result, problem, link, resumed, setRecord };
}
