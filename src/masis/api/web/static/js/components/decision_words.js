// What a person decided about a run, as one sentence.
import { html } from "../html.js";
import { Foreign } from "./signs.js";

const DONE = {
  prefer: "trusts",
  explain_both: "wants both sides explained",
  refine: "asks instead",
  look_again: "had it look again",
  accept: "accepted the draft as it was",
  stop: "stopped here",
};

/** @param {{given: {by: string, action: string, prefer?: string[], over?: string[], question?: string, note?: string}}} props */
export function DecisionWords({ given }) {
  const trusted = given.prefer?.length > 0;
  return html`
    <strong><${Foreign}>${given.by}<//></strong>: ${DONE[given.action] ?? given.action}
    ${trusted && html` <${Foreign}>${given.prefer.join(", ")}<//> over <${Foreign}>${given.over.join(", ")}<//>`}
    ${given.question && html`: “<${Foreign}>${given.question}<//>”`}
    ${given.note && html`. “<${Foreign}>${given.note}<//>”`}
  `;
}
