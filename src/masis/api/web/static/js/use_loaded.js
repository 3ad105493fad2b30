import { get } from "./api.js";
import { useCallback, useEffect, useState } from "./html.js";

/** Something of the service, loaded when it is first shown; `reload` asks again. */
export function useLoaded(path, load = get) {
  const [found, setFound] = useState({ path: null, value: null, problem: null });
  const [count, setCount] = useState(0);
  useEffect(() => {
    if (!path) return undefined;
    let gone = false;
    load(path).then(
      (value) => !gone && setFound({ path, value, problem: null }),
      (problem) => !gone && setFound({ path, value: null, problem }),
    );
    return () => {
      gone = true;
    };
  }, [path, count]);
  const reload = useCallback(() => setCount((known) => known + 1), []);
  // What was loaded for another path is not shown for this one.
  const isCurrent = found.path === path;
  return { value: isCurrent ? found.value : null, problem: isCurrent ? found.problem : null, reload };
}
