// How good an answer is, and why: the same panel for every answer, those that need a person included.
import { html } from "../html.js";
import { confidenceByAttempt, wasDrafted } from "../logic/findings.js";
import { milliseconds, money, percent } from "../logic/format.js";
import { isOver } from "../logic/run_state.js";
import { plural, shortened } from "../logic/text.js";
import { AGENTS, REPAIRS, SCORES, removedSentences, sureSign } from "../logic/words.js";
import { ConfidenceChart } from "./confidence_chart.js";
import { Foreign, Shape, Sign } from "./signs.js";

const LONG = 240;

export function Quality({ status, result }) {
  if (!result) return html`<p class="faint">${isOver(status) ? "No scores: the run ended before there was an answer to score." : "Scores, citation audit, coverage, cost and time appear here when the Evaluator is done."}</p>`;
  const { evaluation, metrics, critique } = result;
  return html`
    <div class="quality">
      <h2 class="unseen">Quality</h2>
      ${wasDrafted(result) && evaluation ? html`<${Figures} result=${result} />` : html`<p>Nothing was drafted, so there is nothing to score.</p>`}
      <${ConfidenceChart} points=${confidenceByAttempt(result.trace)} needed=${metrics.confidence_threshold} />
      ${wasDrafted(result) && html`<${CitationAudit} result=${result} />`}
      <${Coverage} result=${result} critique=${critique} />
      <${Spent} metrics=${metrics} />
    </div>
  `;
}

function Figures({ result }) {
  const sure = sureSign(result);
  return html`
    ${sure && html`<p class="likelihood"><${Sign} sign=${sure} /> <span class="faint">${sure.meaning}</span></p>`}
    <${Scores} evaluation=${result.evaluation} />
  `;
}

function Scores({ evaluation }) {
  return html`
    <h3>Scores: ${percent(evaluation.overall_score)} overall</h3>
    <dl class="scores">
      ${SCORES.map(
        (score) => html`
          <div>
            <dt id="score-${score.key}">${score.word} <span class="faint">weight ${score.weight}</span></dt>
            <dd><${Meter} value=${evaluation[score.key]} labelledby="score-${score.key}" />
              <span class="value">${percent(evaluation[score.key])}</span><p class="faint">${score.meaning}</p></dd>
          </div>
        `,
      )}
    </dl>
    ${(evaluation.clamps ?? []).map((clamp) => html`<p class="clamp">
      <${Shape} shape="triangle" tone="doubt" /> Capped by code: ${clamp}</p>`)}
    <p class="faint">Judged by ${evaluation.judged_by === "offline" ? "the offline engine" : evaluation.judged_by}.</p>
    ${evaluation.improvement_suggestions?.length > 0 &&
    html`<h4>How to improve it</h4><ul>${evaluation.improvement_suggestions.map((each) => html`<li>
      <${Foreign}>${each}<//></li>`)}</ul>`}
  `;
}

/** Drawn, and not the browser's own: it looks the same everywhere, and prints. */
function Meter({ value, labelledby }) {
  return html`
    <svg class="meter tone-${toneOf(value)}" role="meter" aria-labelledby=${labelledby} aria-valuemin="0"
      aria-valuemax="1" aria-valuenow=${value} aria-valuetext=${percent(value)} viewBox="0 0 100 4"
      preserveAspectRatio="none">
      <rect width="100" height="4" class="track" /><rect width=${value * 100} height="4" class="bar" />
    </svg>
  `;
}

const toneOf = (score) => (score >= 0.65 ? "good" : score >= 0.5 ? "doubt" : "bad");

function CitationAudit({ result }) {
  const audit = result.metrics.last_citation_audit;
  const bad = audit?.invalid_citations ?? [];
  const uncited = audit?.uncited_claim_sentences ?? [];
  const removed = removedSentences(result.trace);
  return html`
    <h3>Citation audit</h3>
    ${!audit && html`<p>No draft was audited.</p>`}
    ${audit && html`<p>
      ${plural(result.metrics.citation_count ?? 0, "citation")}; ${bad.length ? `${bad.length} false` : "none false"}; ${plural(audit.uncited_claim_count, "claim")} without one.</p>`}
    ${bad.length > 0 && html`<ul>${bad.map((id) => html`<li><s>[${id}]</s> is not in the evidence</li>`)}</ul>`}
    ${uncited.length > 0 && html`<ul>${uncited.map((sentence) => html`<li>No citation: <${Foreign}>
      ${sentence}<//></li>`)}</ul>`}
    ${removed.length > 0 && html`<h4>${REPAIRS.cut.meaning}</h4><ul>${removed.map((each) => html`<li><s><${Foreign}>
      ${each}<//></s></li>`)}</ul>`}
    ${(audit?.unsupported_claims ?? []).length > 0 && html`<ul>
      ${audit.unsupported_claims.map((each) => html`<li>Not supported: <${Foreign}>${each}<//></li>`)}</ul>`}
  `;
}

function Coverage({ result, critique }) {
  const limits = result.claims.filter((claim) => claim.kind === "limit").map((claim) => claim.text);
  const open = [...new Set([...limits, ...(result.review?.missing ?? []), ...(critique?.logical_gaps ?? [])])];
  // Of a question that nothing was written about it is not known which parts are covered.
  const whole = wasDrafted(result) ? "Every part of the question is covered." : "There is no answer.";
  return html`
    <h3>Coverage</h3>
    ${open.length ? html`<p>Not covered by the documents:</p><ul>${open.map((each) => html`<li>
      <${Foreign}>${shortened(each, LONG)}<//></li>`)}</ul>` : html`<p>${whole}</p>`}
    ${result.instructions_seen?.length > 0 &&
    html`<h4>Instructions inside documents</h4><p>Treated as data, not followed:</p>
      <ul>${result.instructions_seen.map((one) => html`<li><strong>
      <${Foreign}>${one.file_name}<//></strong>: “<${Foreign}>${one.quote}<//>”</li>`)}</ul>`}
  `;
}

function Spent({ metrics }) {
  const agents = AGENTS.filter((agent) => metrics.node_latency_ms?.[agent.name] != null);
  return html`
    <h3>Cost and time</h3>
    <table class="small">
      <thead><tr><th scope="col">Agent</th><th scope="col">Time</th><th scope="col">Calls</th>
        <th scope="col">Cost</th></tr></thead>
      <tbody>
        ${agents.map(
          (agent) => html`<tr><th scope="row">${agent.title}</th>
            <td>${milliseconds(metrics.node_latency_ms[agent.name])}</td>
            <td>${metrics.calls_by_agent?.[agent.name] ?? 0}</td>
            <td>${money(metrics.cost_by_agent?.[agent.name] ?? 0)}</td></tr>`,
        )}
      </tbody>
    </table>
    <p class="faint">
      ${plural(metrics.model_calls ?? 0, "call")} of an engine, ${(metrics.input_tokens ?? 0).toLocaleString("en-GB")} tokens in, ${(metrics.output_tokens ?? 0).toLocaleString("en-GB")} out, ${money(metrics.cost_usd)} spent.</p>
  `;
}
