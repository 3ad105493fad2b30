// What a person decided about a run, as one sentence.
import { html } from "../html.js";
import { ACTIONS, personInWords } from "../logic/words.js";
import { Foreign } from "./signs.js";

// Followed here by what was trusted, and what was asked.
const done = (action) => ({ prefer: "trusts", refine: "asked instead" })[action] ?? ACTIONS[action];

/** @param {{given: {by: string, action: string, prefer?: string[], over?: string[], question?: string, note?: string}}} props */
export function DecisionWords({ given }) {
  const trusted = given.prefer?.length > 0;
  return html`
    <strong><${Foreign}>${personInWords(given.by)}<//></strong>: ${done(given.action) ?? given.action}
    ${trusted && html` <${Foreign}>${given.prefer.join(", ")}<//> over <${Foreign}>${given.over.join(", ")}<//>`}
    ${given.question && html`: “<${Foreign}>${given.question}<//>”`}
    ${given.note && html`. “<${Foreign}>${given.note}<//>”`}
  `;
}
