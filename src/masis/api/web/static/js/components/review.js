// A run that needs a decision: what happened, and the choices.
import { post } from "../api.js";
import { useShared } from "../context.js";
import { html, useState } from "../html.js";
import { keep, recall } from "../browser_storage.js";
import { anyTied, pairOf, preference } from "../logic/preference.js";
import { plural, shortened } from "../logic/text.js";
import { needsDecision, personInWords } from "../logic/words.js";
import { Conflict } from "./conflict.js";
import { Dropzone, UploadProgress } from "./dropzone.js";
import { ProblemNote } from "./notices.js";
import { Foreign, Shape } from "./signs.js";
import { useUploads } from "../ingest_feed.js";

const LONG = 240;

export function Review({ review, path, workspace, question, hasDraft, onOpen, onAnswered, children }) {
  const { session, mayWrite } = useShared();
  const [by, setBy] = useState(() => recall("by") || (session.name === "local" ? "" : session.name));
  const [note, setNote] = useState("");
  const [problem, setProblem] = useState(null);
  const [busy, setBusy] = useState(false);
  const can = (action) => review.choices.includes(action);

  const answer = async (given) => {
    setBusy(true);
    setProblem(null);
    keep("by", by);
    try {
      onAnswered(await post(`${path}/answer`, { ...given, ...(by.trim() && { by: by.trim() }), ...(note.trim() && { note: note.trim() }) }));
    } catch (refusal) {
      setProblem(refusal);
      setBusy(false);
    }
  };

  const who = html`<div class="who"><label for="review-by">Who decides</label>
    <input id="review-by" type="text" maxlength="200" autocomplete="name" value=${by} placeholder=${personInWords(session.name)}
      onInput=${(event) => setBy(event.target.value)} />
    <span class="faint">Named in the trail and in the answer.</span></div>`;
  return html`
    <section class="review" aria-labelledby="review-title">
      <header class="banner"><${Shape} shape="triangle" tone="doubt" />
        <h2 id="review-title">${needsDecision(review)}</h2>
        ${hasDraft && html`<a class="button quiet" href="#decision">Decide</a>`}</header>
      ${hasDraft && children}
      <div class="review-body" id="decision" tabindex="-1">
        <${Asked} review=${review} hasDraft=${hasDraft} />
        ${review.missing?.length > 0 && html`<p>Not covered:</p><ul>${review.missing.map((each) => html`<li>
          <${Foreign}>${shortened(each, LONG)}<//></li>`)}</ul>`}
        ${!mayWrite && html`<p class="note">Your key can read but not decide.</p>`}
        ${!(mayWrite && can("prefer")) && review.conflicts.map((conflict, index) => html`<${Conflict}
          conflict=${conflict} name="conflict-${index}" onOpen=${onOpen} />`)}
        ${mayWrite &&
        html`<fieldset class="plain" disabled=${busy}>
          <legend class="unseen">Your decision</legend>
          ${can("prefer") ? html`<${Decide} review=${review} onOpen=${onOpen} onAnswer=${answer} note=${note}
            setNote=${setNote}>${who}<//>` : who}
          <${OtherWays} can=${can} question=${question} workspace=${workspace} onAnswer=${answer} />
        </fieldset>`}
        ${problem && html`<${ProblemNote} problem=${problem} />`}
      </div>
    </section>
  `;
}

/** The two sides are shown below in full, so that of a conflict's question only its frame is needed. */
function Asked({ review, hasDraft }) {
  const lines = review.question.split("\n");
  const shown = review.conflicts.length ? [lines[0].replace(/:$/, "."), lines.at(-1)] : lines;
  return html`
    <div class="asked">${shown.map((line) => html`<p><${Foreign}>${line}<//></p>`)}</div>
    <p class="faint">
      ${plural(review.attempts, "attempt")} in this round${hasDraft ? "; the best draft is above, with its verdicts" : ""}.</p>
  `;
}

function Decide({ review, onOpen, onAnswer, note, setNote, children }) {
  const [choices, setChoices] = useState({});
  const [remember, setRemember] = useState(false);
  const { torn, ...given } = preference(review.conflicts, choices);
  const decided = given.over.length > 0 && !torn.length && review.conflicts.every((each) => choices[pairOf(each)]);
  const choose = (conflict) => (file) => setChoices({ ...choices, [pairOf(conflict)]: file });
  return html`
    ${review.conflicts.map((conflict, index) => html`<${Conflict} conflict=${conflict} name="conflict-${index}"
      onOpen=${onOpen} chosen=${choices[pairOf(conflict)]} onChoose=${choose(conflict)} />`)}
    ${anyTied(review.conflicts) && html`<p class="faint">Conflicts between the same documents are decided together.</p>`}
    <p class="torn" role="status">${torn.length > 0 && html`<${Foreign}>${torn.join(", ")}<//> is trusted in one
      conflict and not in another. A decision holds for the whole run: choose otherwise, or have both explained.`}</p>
    ${children}
    <div class="field">
    <label for="review-note">Reason, or a rule to remember</label>
    <textarea id="review-note" rows="2" maxlength="2000" value=${note} onInput=${(event) => setNote(event.target.value)}
      placeholder="Audited figures take precedence over internal ones."></textarea>
    </div>
    <label class="choice"><input type="checkbox" checked=${remember}
      onChange=${(event) => setRemember(event.target.checked)} /> Apply this to later questions in the workspace</label>
    <div class="actions">
      <button type="button" class="primary" disabled=${!decided}
        onClick=${() => onAnswer({ action: "prefer", ...given, remember })}>Trust the chosen document</button>
      <button type="button"
        onClick=${() => onAnswer({ action: "explain_both", remember: remember && review.conflicts.length > 0 })}>Explain both sides</button>
    </div>
  `;
}

function OtherWays({ can, question, workspace, onAnswer }) {
  const [refined, setRefined] = useState(question);
  const uploads = useUploads(workspace, (ingestions) => {
    // With nothing new to read another look would find the same.
    const added = ingestions.flatMap((each) => each.files).filter(({ stage }) => stage === "ready" || stage === "pending");
    const note = shortened(`Added: ${added.map((file) => file.file_name).join(", ")}`, LONG);
    if (added.length > 0) onAnswer({ action: "look_again", note });
  });
  return html`
    <div class="ways">
      ${can("refine") &&
      html`<form class="way"
        onSubmit=${(event) => { event.preventDefault(); onAnswer({ action: "refine", question: refined }); }}>
        <label for="review-question">Ask this instead</label>
        <textarea id="review-question" rows="2" maxlength="4000" required value=${refined}
          onInput=${(event) => setRefined(event.target.value)}></textarea>
        <button type="submit"
          disabled=${!refined.trim() || refined.trim() === question.trim()}>Ask the refined question</button>
      </form>`}
      ${can("look_again") &&
      html`<div class="way">
        <${Dropzone} compact onFiles=${uploads.send} label="Add documents and continue" />
        <${UploadProgress} uploads=${uploads} />
        <button type="button" class="quiet"
          onClick=${() => onAnswer({ action: "look_again" })}>Search again without adding documents</button>
      </div>`}
    </div>
    <div class="actions">
      ${can("accept") && html`<button type="button"
        onClick=${() => onAnswer({ action: "accept" })}>Accept the draft as is</button>`}
      ${can("stop") && html`<button type="button" class="quiet"
        onClick=${() => onAnswer({ action: "stop" })}>Stop here</button>`}
    </div>
  `;
}
