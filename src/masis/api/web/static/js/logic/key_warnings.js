// What to think of before a key is revoked: it cannot be taken back, and not on this page.

const MADE_ON_THE_MACHINE = "to create a new one, run “masis keys create” on the service's machine";

/** @returns {string[]} */
export function revocationWarnings(key, keys, ownId, now = new Date()) {
  const others = keys.filter((each) => each.key_id !== key.key_id && isValid(each, now));
  const isLastAdmin = isAdminEverywhere(key) && !others.some(isAdminEverywhere);
  const warnings = [];
  if (key.key_id === ownId) warnings.push("It is the key you are signed in with: you will be signed out immediately.");
  if (isLastAdmin && others.length) warnings.push(`It is the last admin's key for all workspaces: without it, nobody can create or revoke such keys here; ${MADE_ON_THE_MACHINE}.`);
  if (isLastAdmin && !others.length) warnings.push(`It is the last key: without it, nobody can sign in or call the service; ${MADE_ON_THE_MACHINE}.`);
  return warnings;
}

const isAdminEverywhere = (key) => key.role === "admin" && key.workspaces.includes("*");

const isValid = (key, now) => !key.revoked_at && !(key.expires_at && new Date(key.expires_at) <= now);
