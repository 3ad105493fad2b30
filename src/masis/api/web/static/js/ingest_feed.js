// Files on their way in: sent in batches, then followed until each of them is ready or has failed.
import { get, post, upload, workspacePath } from "./api.js";
import { useCallback, useEffect, useRef, useState } from "./html.js";
import { follow } from "./stream.js";

const MOST_FILES = 100;
const MOST_BYTES = 200_000_000;
const OVER = ["done", "cancelled", "failed"];

export const isWorking = ({ status }) => !OVER.includes(status);

/** Requests that the service's limits allow. @param {File[]} files */
export function batches(files) {
  const cut = [[]];
  let bytes = 0;
  for (const file of files) {
    if (cut.at(-1).length && (cut.at(-1).length >= MOST_FILES || bytes + file.size > MOST_BYTES)) {
      cut.push([]);
      bytes = 0;
    }
    cut.at(-1).push(file);
    bytes += file.size;
  }
  return cut.filter((batch) => batch.length);
}

/** @returns {() => void} stops following */
function followIngestion(workspace, ingestionId, onChange, onOver) {
  const path = workspacePath(workspace, `/ingestions/${ingestionId}`);
  let last = null;
  const stop = follow({
    url: () => `${path}/events`,
    kinds: ["progress", ...OVER],
    onEvent: (ingestion) => {
      last = ingestion;
      onChange(ingestion);
    },
    isOver: async () => {
      const latest = OVER.includes(last?.status) ? last : await get(path);
      if (!OVER.includes(latest.status)) return false;
      onChange(latest);
      onOver(latest);
      return true;
    },
    onLink: () => {},
  });
  return stop;
}

/**
 * Uploads as rows of files.
 * @param {string} workspace
 * @param {(ingestions: object[]) => void} onSettled when all of a drop is done
 */
export function useUploads(workspace, onSettled = () => {}) {
  const [ingestions, setIngestions] = useState([]);
  const [sending, setSending] = useState(null);
  const [refusals, setRefusals] = useState([]);
  const stops = useRef(new Set());
  useEffect(() => () => stops.current.forEach((stop) => stop()), []);

  const put = useCallback((latest) => {
    setIngestions((known) => [latest, ...known.filter((each) => each.ingestion_id !== latest.ingestion_id)]);
  }, []);
  /** Shows an ingestion until it is over. */
  const watch = useCallback(
    (ingestion) =>
      new Promise((resolve) => {
        put(ingestion);
        // The duplicates of an upload are reported once, in its response.
        const keep = (latest) => put({ ...latest, duplicates: ingestion.duplicates });
        const stop = followIngestion(workspace, ingestion.ingestion_id, keep, (latest) => {
          stops.current.delete(stop);
          resolve(latest);
        });
        stops.current.add(stop);
      }),
    [workspace],
  );

  const send = useCallback(
    async (files) => {
      setRefusals([]);
      const parts = batches(files);
      const waiting = [];
      for (const [index, part] of parts.entries()) {
        const told = (share) => setSending({ share: (index + share) / parts.length, files: files.length });
        told(0);
        try {
          waiting.push(watch(await upload(workspacePath(workspace, "/documents"), part, told)));
        } catch (refusal) {
          setRefusals((known) => [...known, { refusal, workspace, files: part.map((file) => file.name) }]);
        }
      }
      setSending(null);
      onSettled(await Promise.all(waiting));
    },
    [workspace, watch, onSettled],
  );
  const stop = useCallback(
    (ingestion) => post(workspacePath(workspace, `/ingestions/${ingestion.ingestion_id}/cancel`)),
    [workspace],
  );
  /** Shows what is still being read, here or by someone else, live; `onKnown` when it is known. */
  const catchUp = useCallback(async (onKnown = () => {}) => {
    const { items } = await get(workspacePath(workspace, "/ingestions?limit=5"));
    const open = items.filter(isWorking);
    const watched = open.map(watch);
    onKnown();
    if (open.length) onSettled(await Promise.all(watched));
  }, [workspace, watch, onSettled]);
  /** Takes an ingestion that is over, or a refusal, off the page. */
  const dismiss = useCallback((gone) => {
    setIngestions((known) => known.filter((each) => each !== gone));
    setRefusals((known) => known.filter((each) => each !== gone));
  }, []);
  const beingRead = new Set(ingestions.filter(isWorking).flatMap((each) => each.files.map((file) => file.document_id)));
  return { ingestions, sending, refusals, beingRead, send, watch, stop, catchUp, dismiss };
}
