// What documents are, at a glance, and what can be asked of them: no box is ever empty.
import { get, workspacePath } from "../api.js";
import { html, useEffect, useState } from "../html.js";
import { day } from "../logic/format.js";
import { plural, shortened } from "../logic/text.js";
import { Link, addressOf } from "../router.js";
import { useLoaded } from "../use_loaded.js";
import { Foreign } from "./signs.js";

const LOOKED_AT = 12;
const MOST_QUESTIONS = 5;
const FEWEST = 3;
const SUMMARISE = "Summarise these documents";

const pathOf = (workspace, documentId) => workspacePath(workspace, `/documents/${documentId}/overview`);

/** The newest documents with their overviews. @returns {{document: object, overview: object}[]} */
function useOverviews(workspace, documents) {
  const newest = [...documents].sort((one, other) => other.created_at.localeCompare(one.created_at)).slice(0, LOOKED_AT);
  const [found, setFound] = useState([]);
  const wanted = newest.map((each) => each.document_id).join();
  useEffect(() => {
    let gone = false;
    Promise.all(newest.map((document) => get(pathOf(workspace, document.document_id)).then(
      (overview) => ({ document, overview }), () => null))).then((all) => !gone && setFound(all.filter(Boolean)));
    return () => {
      gone = true;
    };
  }, [workspace, wanted]);
  return found;
}

/** One of each document, then the next of each: up to five, each with the document it is put to. What could be asked of any
 * document is asked of all of them, and of one only where there is little else. */
export function chosenQuestions(overviews, most = MOST_QUESTIONS) {
  const lists = overviews.map(({ document, overview }) => overview.questions.map((question) => ({ question, document })));
  const longest = Math.max(0, ...lists.map((list) => list.length));
  const inTurn = Array.from({ length: longest }, (_, turn) => lists.map((list) => list[turn]).filter(Boolean)).flat();
  const uses = new Map();
  inTurn.forEach(({ question }) => uses.set(question, (uses.get(question) ?? 0) + 1));
  const own = inTurn.filter(({ question }) => uses.get(question) === 1);
  if (own.length === inTurn.length) return own.slice(0, most);
  const general = inTurn.filter(({ question }) => uses.get(question) > 1).slice(0, Math.max(0, FEWEST - own.length - 1));
  return [...own.slice(0, most - 1 - general.length), { question: SUMMARISE, document: null }, ...general];
}

/** For the question box: what can be asked, and what is here. */
export function WhatIsHere({ workspace, documents, onAsk }) {
  const overviews = useOverviews(workspace, documents);
  const questions = chosenQuestions(overviews);
  if (!overviews.length) return html`<div></div>`;
  return html`
    <section aria-labelledby="try-title">
      ${questions.length > 0 && onAsk && html`<h2 id="try-title">You could ask</h2>
        <ul class="cards">${questions.map(({ question, document }) => html`<li><button type="button" class="card"
          onClick=${() => onAsk(question, document ? { filters: { documents: [document.document_id] } } : {})}>
          <strong dir="auto"><${Foreign}>${question}<//></strong><span class="faint"><${Foreign}>${document?.file_name ?? "all of them"}<//></span></button></li>`)}</ul>`}
      <h2>What is here</h2>
      <ul class="overviews">${overviews.map(({ document, overview }) => html`<li><details><summary><strong><${Foreign}>${document.file_name}<//></strong>
        <span class="faint"> ${briefly(overview)}</span></summary><${Glance} workspace=${workspace} document=${document} overview=${overview} /></details></li>`)}</ul>
    </section>
  `;
}

const briefly = (overview) => [overview.kind, plural(overview.pages, "page"), overview.date && `dated ${day(overview.date)}`, overview.period && `covers ${overview.period}`].filter(Boolean).join(" · ");

/** The overview of one document; each line leads to its place. */
function Glance({ workspace, document, overview }) {
  const at = (quoted) => `${addressOf(workspace, "documents", document.document_id)}?start=${quoted.start}&end=${quoted.end}&page=${quoted.page}`;
  const line = (quoted, most) => html`<${Link} to=${at(quoted)}><${Foreign}>${shortened(quoted.text, most)}<//><//> <span class="faint">page ${quoted.page}</span>`;
  return html`<div class="glance">
    ${overview.title && html`<p><strong><${Foreign}>${overview.title}<//></strong>${overview.author && html` <span class="faint">by <${Foreign}>${overview.author}<//></span>`}</p>`}
    ${overview.opening && html`<p>${line(overview.opening, 240)}</p>`}
    ${overview.figures.length > 0 && html`<h3>Main figures</h3><ul>${overview.figures.map((each) => html`<li>${line(each, 180)}</li>`)}</ul>`}
    ${overview.sections.length > 0 && html`<h3>Sections</h3><ul>${overview.sections.map((each) => html`<li>${line(each, 90)}</li>`)}</ul>`}
  </div>`;
}

/** For the page of one document. */
export function DocumentOverview({ workspace, document, onAsk }) {
  const { value } = useLoaded(pathOf(workspace, document.document_id));
  if (!value) return null;
  return html`<details class="overview"><summary>Overview${value.questions.length ? " and questions" : ""}</summary>
    <${Glance} workspace=${workspace} document=${document} overview=${value} />
    ${value.questions.length > 0 && onAsk && html`<div class="offers">${value.questions.map((question) => html`<button type="button" class="chip"
      onClick=${() => onAsk(question)}><${Foreign}>${question}<//></button>`)}</div>`}</details>`;
}
