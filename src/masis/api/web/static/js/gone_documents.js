// A run keeps the passages it read; the documents themselves may be deleted or replaced afterwards.
import { get, workspacePath } from "./api.js";
import { useEffect, useState } from "./html.js";

const NONE = new Set();

/** @returns {Set<string>} of the documents of these passages those that the workspace no longer has, by id */
export function useGone(workspace, passages) {
  const [gone, setGone] = useState(NONE);
  const ids = [...new Set(passages.map((passage) => passage.document_id).filter(Boolean))].join(" ");
  useEffect(() => {
    setGone(NONE);
    if (!ids) return undefined;
    let left = false;
    const isGone = (id) => get(workspacePath(workspace, `/documents/${id}`)).then(() => false, (refusal) => refusal.status === 404);
    const look = async (all) => {
      const answers = await Promise.all(all.map(isGone));
      if (!left) setGone(new Set(all.filter((_, index) => answers[index])));
    };
    look(ids.split(" "));
    return () => {
      left = true;
    };
  }, [workspace, ids]);
  return gone;
}
