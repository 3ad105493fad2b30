// A run that needs a decision: what happened, and the choices.
import { post } from "../api.js";
import { useShared } from "../context.js";
import { html, useState } from "../html.js";
import { keep, recall } from "../browser_storage.js";
import { anyTied, pairOf, preference } from "../logic/preference.js";
import { isEverywhere } from "../logic/scope.js";
import { shortened, withoutPeriod } from "../logic/text.js";
import { CAUSES, OUTCOMES, STATUSES, personInWords } from "../logic/words.js";
import { Link, addressOf } from "../router.js";
import { ask } from "./composer.js";
import { Conflict } from "./conflict.js";
import { Dropzone, UploadProgress } from "./dropzone.js";
import { ProblemNote } from "./notices.js";
import { Foreign, Shape } from "./signs.js";
import { useUploads } from "../ingest_feed.js";

const LONG = 240;

const SILENT = new Set(["weak_evidence", "empty_workspace"]);
const REMEMBERED = new Set(["prefer", "explain_both"]);

export function Review({ review, record, path, workspace, question, hasDraft, closest, onOpen, onAnswered, children }) {
  const { session, mayWrite } = useShared();
  const [by, setBy] = useState(() => recall("by") || (session.name === "local" ? "" : session.name));
  const [note, setNote] = useState("");
  const [remember, setRemember] = useState(false);
  const [problem, setProblem] = useState(null);
  const [busy, setBusy] = useState(false);
  const can = (action) => review.choices.includes(action);

  const answer = async (given) => {
    setBusy(true);
    setProblem(null);
    keep("by", by);
    try {
      const kept = remember && REMEMBERED.has(given.action) && review.conflicts.length > 0;
      onAnswered(await post(`${path}/answer`, { ...given, ...(kept && { remember }), ...(by.trim() && { by: by.trim() }), ...(note.trim() && { note: note.trim() }) }));
    } catch (refusal) {
      setProblem(refusal);
      setBusy(false);
    }
  };

  const isSilent = SILENT.has(review.cause) && !hasDraft;
  // That a decision is needed stands above already.
  const title = isSilent && review.cause === "weak_evidence" ? OUTCOMES.insufficient_evidence.word : (CAUSES[review.cause] ?? "Please decide");
  const more = { can, question, workspace, by, setBy, note, setNote, remember, setRemember, onAnswer: answer };
  return html`
    <section class="review" aria-label="${STATUSES.waiting.word}: ${title}">
      <header class="banner"><${Shape} shape="triangle" tone="doubt" />
        <h2>${title}</h2></header>
      ${hasDraft && !review.conflicts.length && children}
      <div class="review-body" id="decision" tabindex="-1">
        ${!review.conflicts.length && html`<${Asked} review=${review} />`}
        ${isSilent && closest}
        ${!isSilent && review.missing?.length > 0 && html`<p>Not covered:</p><ul>${review.missing.map((each) => html`<li>
          <${Foreign}>${shortened(each, LONG)}<//></li>`)}</ul>`}
        ${!mayWrite && html`<p class="note">Your key can read but not decide.</p>`}
        ${!(mayWrite && can("prefer")) && review.conflicts.map((conflict, index) => html`<${Conflict}
          conflict=${conflict} name="conflict-${index}" onOpen=${onOpen} />`)}
        ${mayWrite &&
        html`<fieldset class="plain" disabled=${busy}>
          <legend class="unseen">Your decision</legend>
          ${can("prefer") && html`<${Trust} review=${review} onOpen=${onOpen} onAnswer=${answer} />`}
          ${isSilent && html`<${Wider} record=${record} question=${question} workspace=${workspace} />`}
          ${isSilent && html`<${OtherWays} ...${more} />`}
          ${!isSilent && !can("prefer") && html`<${FirstChoice} can=${can} onAnswer=${answer} />`}
          <${Options} ...${more}>${!isSilent && html`<${OtherWays} ...${more} />`}<//>
        </fieldset>`}
        ${problem && html`<${ProblemNote} problem=${problem} />`}
      </div>
      ${hasDraft && review.conflicts.length > 0 && html`<details class="draft-under"><summary>The best draft, with its verdicts</summary>${children}</details>`}
    </section>
  `;
}

/** Of a conflict it would say what its two sides show. */
function Asked({ review }) {
  return html`<div class="asked">${review.question.split("\n").map((line) => html`<p><${Foreign}>${line}<//></p>`)}</div>`;
}

/** One click on a side decides; of several conflicts the last one that is chosen. */
function Trust({ review, onOpen, onAnswer }) {
  const [choices, setChoices] = useState({});
  const [torn, setTorn] = useState([]);
  const choose = (conflict) => (file) => {
    const chosen = { ...choices, [pairOf(conflict)]: file };
    const { torn: between, ...given } = preference(review.conflicts, chosen);
    setChoices(chosen);
    setTorn(between);
    if (!between.length && review.conflicts.every((each) => chosen[pairOf(each)])) onAnswer({ action: "prefer", ...given });
  };
  const pairs = new Set(review.conflicts.map(pairOf)).size;
  return html`
    ${review.conflicts.map((conflict, index) => html`<${Conflict} conflict=${conflict} name="conflict-${index}"
      onOpen=${onOpen} chosen=${choices[pairOf(conflict)]} onChoose=${choose(conflict)} />`)}
    ${anyTied(review.conflicts) && html`<p class="faint">Conflicts between the same documents are decided together.</p>`}
    ${pairs > 1 && html`<p class="faint">The run continues when a document is chosen in each conflict.</p>`}
    <p class="torn" role="status">${torn.length > 0 && html`<${Foreign}>${torn.join(", ")}<//> is trusted in one
      conflict and not in another. A decision holds for the whole run: choose otherwise, or have both explained.`}</p>
  `;
}

/** Where there is nothing to trust: the one thing that most people want next. */
function FirstChoice({ can, onAnswer }) {
  const [action, word] = can("accept") ? ["accept", "Accept the draft as is"] : ["look_again", "Try again"];
  return can(action) && html`<p><button type="button" class="primary" onClick=${() => onAnswer({ action })}>${word}</button></p>`;
}

/** The documents are silent: the same question put more widely, in one click. */
export function Wider({ record, question, workspace, children }) {
  const { tellProblem } = useShared();
  const put = (text, filters) => () => ask(workspace, text, { thread_id: record.run_id, filters, complete: false }).catch(tellProblem);
  const open = withoutPeriod(question);
  return html`<p class="wider">
    ${!isEverywhere(record.filters) && html`<button type="button" class="primary" onClick=${put(question, {})}>Ask all documents</button>`}
    ${open !== question && html`<button type="button" onClick=${put(open, record.filters)}>Ask without the period</button>`}
    <${Link} to=${`${addressOf(workspace, "search")}?q=${encodeURIComponent(question)}`} class="button">Search for these words<//>${children}</p>`;
}

/** Who decides, why, and everything that is not the obvious choice. */
function Options({ can, by, setBy, note, setNote, remember, setRemember, onAnswer, children }) {
  const { session } = useShared();
  const isDispute = can("prefer");
  return html`
    <details class="options">
      <summary>Other options</summary>
      <div class="who"><label for="review-by">Who decides</label>
        <input id="review-by" type="text" maxlength="200" autocomplete="name" value=${by} placeholder=${personInWords(session.name)}
          onInput=${(event) => setBy(event.target.value)} />
        <span class="faint">Named in the trail and in the answer.</span></div>
      ${isDispute && html`<div class="field">
        <label for="review-note">Reason, or a rule to remember</label>
        <textarea id="review-note" rows="2" maxlength="2000" value=${note} onInput=${(event) => setNote(event.target.value)}
          placeholder="Audited figures take precedence over internal ones."></textarea></div>
        <label class="choice"><input type="checkbox" checked=${remember}
          onChange=${(event) => setRemember(event.target.checked)} /> Apply this to later questions in the workspace</label>`}
      ${children}
      <div class="actions">
        ${isDispute && html`<button type="button" onClick=${() => onAnswer({ action: "explain_both" })}>Explain both sides</button>`}
        ${can("accept") && isDispute && html`<button type="button"
          onClick=${() => onAnswer({ action: "accept" })}>Accept the draft as is</button>`}
        ${can("look_again") && html`<button type="button" class="quiet"
          onClick=${() => onAnswer({ action: "look_again" })}>Search again without adding documents</button>`}
        ${can("stop") && html`<button type="button" class="quiet" onClick=${() => onAnswer({ action: "stop" })}>Stop here</button>`}
      </div>
    </details>
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
      </div>`}
    </div>
  `;
}
