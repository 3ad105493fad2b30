// The track record: how often answers were right, by likelihood.
import { workspacePath } from "../api.js";
import { ProblemNote, Waiting } from "../components/notices.js";
import { Foreign } from "../components/signs.js";
import { html, useEffect } from "../html.js";
import { moment, percent } from "../logic/format.js";
import { shortened } from "../logic/text.js";
import { VERDICTS } from "../logic/words.js";
import { Link, addressOf } from "../router.js";
import { useLoaded } from "../use_loaded.js";

export function RecordView({ workspace }) {
  const { value, problem, reload } = useLoaded(workspacePath(workspace, "/track-record"));
  useEffect(() => {
    document.title = `Track record of ${workspace} · MASIS`;
  }, [workspace]);
  return html`
    <div class="page">
      <h1 tabindex="-1">Track record</h1>
      ${problem && html`<${ProblemNote} problem=${problem} onRetry=${reload} />`}
      ${!value && !problem && html`<${Waiting} />`}
      ${value && !value.answers && html`<p>Nobody has judged an answer yet. Under each answer you can say whether it is right;
        here you then see how often answers were right, by likelihood.</p>`}
      ${value?.answers > 0 && html`<p class="lead"><strong>${value.right} of ${value.answers} judged answers</strong> were right
        (${percent(value.right / value.answers)}).</p>
        <${Bands} title="By likelihood" first="Likelihood" bands=${value.by_likelihood} />
        ${value.by_likelihood.length ? html`<details><summary>By the Critic's confidence</summary><${Bands} first="Confidence" bands=${value.by_confidence} /></details>`
          : html`<${Bands} title="By likelihood" first="Confidence" bands=${value.by_confidence} />`}`}
      ${value?.by_verdict.length > 0 && html`<${Bands} title="Sentences, by their verdict" first="Verdict"
        bands=${value.by_verdict.map((each) => ({ ...each, name: VERDICTS[each.name]?.word ?? each.name }))} />`}
      ${value?.wrong.length > 0 && html`<section><h2>Wrong answers</h2><ul class="cards">${value.wrong.map((each) => html`<li>
        <${Link} to=${addressOf(workspace, "runs", each.run_id)} class="card"><strong><${Foreign}>${shortened(each.question, 200)}<//></strong>
        <span class="faint">${each.reason ? html`because <${Foreign}>${each.reason}<//> · ` : ""}${each.given_by} · ${moment(each.given_at)}</span><//></li>`)}</ul></section>`}
    </div>
  `;
}

function Bands({ title, first, bands }) {
  if (!bands.length) return null;
  return html`<section>${title && html`<h2>${title}</h2>`}<table class="small"><thead><tr><th scope="col">${first}</th><th scope="col">Right</th>
    <th scope="col">Wrong</th><th scope="col">Share right</th></tr></thead>
    <tbody>${bands.map((band) => html`<tr><th scope="row">${band.name}</th><td>${band.right}</td><td>${band.wrong}</td>
      <td>${percent(band.right / (band.right + band.wrong))}</td></tr>`)}</tbody></table></section>`;
}
