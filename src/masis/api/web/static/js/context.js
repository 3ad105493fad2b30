// What every view may need: who is signed in, which workspaces there are, and a way to say something to the reader.
import { createContext, useContext } from "./html.js";

export const Shared = createContext(null);

/** @returns {{session: object, workspaces: object[], workspace: string|null, refreshWorkspaces: () => Promise<object[]>,
 *   notify: (text: string, tone?: "plain"|"bad") => void, tellProblem: (problem: Error) => void, mayWrite: boolean, isAdmin: boolean}} */
export function useShared() {
  return useContext(Shared);
}
