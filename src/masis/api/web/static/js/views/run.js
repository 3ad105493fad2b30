// One run: its question, the agents, the answer or the question to a person, and beside it quality or a source.
import { post, remove } from "../api.js";
import { copy } from "../clipboard.js";
import { ask, Composer } from "../components/composer.js";
import { Confirm } from "../components/dialog.js";
import { ExportMenu } from "../components/export_menu.js";
import { ProblemNote, Waiting } from "../components/notices.js";
import { Pipeline } from "../components/pipeline.js";
import { focusQuietly } from "../components/popover.js";
import { Quality } from "../components/quality.js";
import { RunBody } from "../components/run_body.js";
import { useNames } from "../components/scope.js";
import { SidePanel } from "../components/side_panel.js";
import { Foreign, Icon, Sign } from "../components/signs.js";
import { ThreadLine, useThread } from "../components/thread.js";
import { Trail } from "../components/trail.js";
import { useShared } from "../context.js";
import { useGone } from "../gone_documents.js";
import { html, useEffect, useMemo, useRef, useState } from "../html.js";
import { answerModel, located } from "../logic/answer_model.js";
import { isSilence, saysMore } from "../logic/findings.js";
import { standingOf, withFootnotes } from "../logic/footnotes.js";
import { between, moment, seconds } from "../logic/format.js";
import { draftShown, isStill, questionOf } from "../logic/run_state.js";
import { isEverywhere, scopeInWords } from "../logic/scope.js";
import { withoutHalfCitation } from "../logic/standing.js";
import { plural, shortened } from "../logic/text.js";
import { signOf, sureSign } from "../logic/words.js";
import { Link, addressOf, go } from "../router.js";
import { useRun } from "../run_feed.js";

const LONG_QUESTION = 240;
const NOTHING = [];
const YEAR = /\b(?:19|20)\d\d\b/;
const OF_A_FIGURE = /^\W*(?:how (?:much|many|large|high|long)|what (?:is|was|were|are)|compare)\b/i;

/** Follow-ups that suit an answer: the year before only of one that speaks of a year. */
// A year in the answer to “What did they decide?” is no time that a figure is for.
const isOfAYear = ({ question = "", answer = "" }) => YEAR.test(question) || (YEAR.test(answer) && OF_A_FIGURE.test(question));
const followUps = (result) => ["Why?", isOfAYear(result) && "And the year before?", "Which document says so?"].filter(Boolean);

export function RunView({ workspace, runId }) {
  const run = useRun(workspace, runId);
  const [source, setSource] = useState(null);
  const [tab, setTab] = useState("answer");
  const opener = useRef(null);
  const heading = useRef(null);
  const { record, result, state } = run;
  const question = record && questionOf(record, result, state);
  const gone = useGone(workspace, result?.evidence ?? NOTHING);
  useEffect(() => setSource(null), [runId]);
  useEffect(() => {
    if (record) document.title = `${signOf(record).word}: ${shortened(question, 60)} · MASIS`;
  }, [record, question]);
  useFocusAfterDecision(record, heading);
  const { mayWrite } = useShared();
  const [edited, setEdited] = useState(null);
  const turns = useThread(workspace, record?.thread_id, runId);
  const { names } = useNames(workspace, record?.filters.documents?.length > 0);
  const isLast = turns.length < 2 || turns.at(-1).run_id === runId;

  const open = (citation) => {
    opener.current = document.activeElement;
    const evidence = result?.evidence ?? NOTHING;
    const chunk = evidence.find((each) => each.chunk_id === citation.chunk_id);
    setSource({ chunk, ...located(citation, evidence) });
  };
  const close = () => {
    setSource(null);
    opener.current?.isConnected && focusQuietly(opener.current);
  };
  useEffect(() => {
    const onKey = (event) => event.key === "Escape" && source && !document.querySelector("dialog[open], .popover") && close();
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  });

  const model = useMemo(() => modelOf(result, state), [result ?? draftShown(state)]);
  if (run.problem) return html`<div class="page"><h1 tabindex="-1">This run cannot be shown</h1>
    <${ProblemNote} problem=${run.problem} /><p><${Link} to=${addressOf(workspace, "runs")}>All runs<//></p></div>`;
  // The frame stands before anything is known: nothing has to make room for it later.
  if (!record) return html`<div class="with-side"><div class="run"><${Waiting} /></div>
    <aside class="side" aria-label="Evidence"></aside></div>`;
  const isLive = !isStill(record.status);
  const evidence = result?.evidence ?? state.attempts.findLast((each) => each.agents.researcher?.data?.evidence)?.agents.researcher.data.evidence ?? NOTHING;
  const isBare = !isLive && !source && !evidence.length && !model.sources.length;
  return html`
    <div class="with-side ${isBare ? "is-bare" : ""}">
      <div class="run">
        <${ThreadLine} turns=${turns} runId=${runId} workspace=${workspace} />
        <${RunHead} run=${run} question=${question} heading=${heading} isLive=${isLive} names=${names}
          onEdit=${isLast && !isLive && mayWrite ? () => setEdited({ text: question }) : null}
          sign=${signOf(isLive ? { status: state.status === "queued" ? record.status : "running" } : record)} />
        <p class="link-lost" role="status">
          ${run.link === "lost" && isLive ? "Connection lost. Reconnecting; the run continues without this page." : ""}</p>
        <${Pipeline} state=${state} isLive=${isLive} facts=${factsOf(record, result)} />
        <div class="run-bar"><${Tabs} tab=${tab} onTab=${setTab} />
          <${RunActions} run=${run} question=${question} model=${model} isLive=${isLive} hasAnswer=${Boolean(result)}
            workspace=${workspace} /></div>
        <div id="panel" role="tabpanel" aria-labelledby="tab-${tab}">
          ${tab === "trail" && html`<${Trail} state=${state} result=${result} />`}
          ${tab === "quality" && html`<${Quality} status=${record.status} result=${result} />`}
          ${tab === "answer" && html`<${RunBody} run=${run} model=${model} question=${question} isLive=${isLive}
            workspace=${workspace} onOpen=${open} source=${source} gone=${gone} />`}
        </div>
        ${!isLive && html`<div class="next-question">${isLast ? html`<${Composer} key=${runId} workspace=${workspace}
          label="Ask a follow-up" rows="2" thread=${runId} filters=${record.filters} given=${edited}
          offers=${record.status === "finished" && result && !isSilence(result) && result.claims.length ? followUps(result) : NOTHING} />` : html`<p>
          <${Link} to=${addressOf(workspace, "runs", turns.at(-1).run_id)}>Continue at the last question of this thread<//></p>`}</div>`}
      </div>
      <${SidePanel} workspace=${workspace} isLive=${isLive} isBrief=${record.status === "waiting"} evidence=${evidence} model=${model} source=${source}
        gone=${gone} onOpen=${open} onClose=${close} />
    </div>
  `;
}

/** What was decided on is no longer there, and the focus with it: the run continues under its heading. */
function useFocusAfterDecision(record, heading) {
  const wasWaiting = useRef(false);
  const isWaiting = record?.status === "waiting";
  useEffect(() => {
    const isLost = !document.activeElement || document.activeElement === document.body;
    if (wasWaiting.current && !isWaiting && isLost) heading.current?.focus();
    wasWaiting.current = isWaiting;
  }, [isWaiting]);
}

/** While there is no result, the draft that is being written, without verdicts. */
function modelOf(result, state) {
  if (!result) return answerModel({ answer: withoutHalfCitation(draftShown(state)), evidence: evidenceSoFar(state) });
  return answerModel({ ...result, invalid: result.metrics.last_citation_audit?.invalid_citations });
}

function evidenceSoFar(state) {
  return state.attempts.flatMap((attempt) => attempt.agents.researcher?.data?.evidence ?? []);
}

const TABS = [["answer", "Answer"], ["quality", "Quality"], ["trail", "Trail"]];
const STEPS = { ArrowLeft: -1, ArrowRight: 1 };

function Tabs({ tab, onTab }) {
  const onKey = (event) => {
    if (!STEPS[event.key]) return;
    const at = TABS.findIndex(([name]) => name === tab) + STEPS[event.key];
    const [other] = TABS[(at + TABS.length) % TABS.length];
    onTab(other);
    document.getElementById(`tab-${other}`).focus();
  };
  return html`
    <div class="tabs" role="tablist" aria-label="Of this run" onKeyDown=${onKey}>
      ${TABS.map(([name, word]) => html`<button type="button" role="tab" id="tab-${name}" aria-selected=${tab === name}
        aria-controls="panel" tabindex=${tab === name ? 0 : -1} onClick=${() => onTab(name)}>${word}</button>`)}
    </div>
  `;
}

/** What is not needed to judge the answer: it stands with the agents' steps. */
function factsOf(record, result) {
  // The agents' own time: while a run waits for a person nobody works on it.
  const worked = Object.values(result?.metrics.node_latency_ms ?? {}).reduce((sum, each) => sum + each, 0) / 1000;
  const took = worked || between(record.started_at, record.finished_at);
  return [
    `Asked by ${record.asked_by}`,
    moment(record.created_at),
    record.attempts > 0 && plural(record.attempts, "attempt"),
    took != null && seconds(took),
  ].filter(Boolean).join(" · ");
}

/** How the run ended and how sure it is, in words, once. */
function RunHead({ run, question, heading, sign, isLive, names, onEdit }) {
  const { record, result } = run;
  const sure = record.status === "finished" && result && sureSign(result);
  // A text of its own says it better than the sign.
  const isSaidBelow = record.status === "finished" && result && isSilence(result) && saysMore(result);
  return html`
    <header class="run-head">
      <h1 ref=${heading} tabindex="-1" dir="auto"><${Foreign}>${shortened(question, LONG_QUESTION)}<//></h1>
      ${question.length > LONG_QUESTION && html`<details><summary>The whole question</summary>
        <p dir="auto"><${Foreign}>${question}<//></p></details>`}
      ${question !== record.question && html`<p class="faint">asked first: <${Foreign}>
        ${shortened(record.question, LONG_QUESTION)}<//></p>`}
      ${(record.asked || !isEverywhere(record.filters)) && html`<p class="faint">
        ${record.asked && html`<span>You asked: “<${Foreign}>${shortened(record.asked, LONG_QUESTION)}<//>”
        ${onEdit && html` <button type="button" class="quiet legend-button" onClick=${onEdit}>Edit the question</button>`}</span> `}
        ${!isEverywhere(record.filters) && html`<span>In: <${Foreign}>${scopeInWords(record.filters, names)}<//></span>`}</p>`}
      <div class="run-meta">${!isSaidBelow && html`<${Sign} sign=${sign} />`}${sure && html` <${Sign} sign=${sure} />`}</div>
    </header>
  `;
}

function RunActions({ run, question, model, isLive, hasAnswer, workspace }) {
  const { notify, tellProblem, mayWrite } = useShared();
  const [isDeleting, setIsDeleting] = useState(false);
  const { record, path } = run;
  const tried = (action) => () => action().catch(tellProblem);
  const cancel = tried(async () => run.setRecord(await post(`${path}/cancel`)));
  const copyAnswer = tried(async () => {
    const askedFirst = question === record.question ? "" : record.question;
    await copy(withFootnotes(model, { question, askedFirst, standing: standingOf(record, run.result?.review) }));
    notify("Copied, with footnotes.");
  });
  const erase = tried(async () => {
    await remove(path);
    notify("The run and its trail are deleted.");
    go(addressOf(workspace, "runs"));
  });
  if (isLive) return html`<div class="actions">${mayWrite && html`<button type="button" onClick=${cancel}>
    <${Icon} name="stop" /> Cancel</button>`}</div>`;
  return html`
    <div class="actions">
      ${hasAnswer && html`<button type="button" onClick=${copyAnswer}>
        <${Icon} name="copy" /> <span class="on-wide">Copy<span class="unseen"> with footnotes</span></span></button>`}
      ${hasAnswer && html`<${ExportMenu} path=${path} runId=${record.run_id} />`}
      ${mayWrite && html`<button type="button" class="quiet icon-only" title="Ask again" aria-label="Ask again"
        onClick=${tried(() => ask(workspace, question, { filters: record.filters }))}><${Icon} name="again" /></button>`}
      ${mayWrite && html`<button type="button" class="quiet icon-only" title="Delete" aria-label="Delete"
        onClick=${() => setIsDeleting(true)}><${Icon} name="bin" /></button>`}
    </div>
    ${isDeleting && html`<${Confirm} title="Delete this run?" action="Delete the run" onConfirm=${erase}
      onClose=${() => setIsDeleting(false)}>This deletes the answer, its trail and its events. The documents stay.<//>`}
  `;
}
