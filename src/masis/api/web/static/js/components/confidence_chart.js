// Confidence from attempt to attempt.
import { html } from "../html.js";
import { percent } from "../logic/format.js";

const WIDTH = 300;
const HEIGHT = 96;
const LEFT = 34;
const BOTTOM = 18;

/** @param {{points: {attempt: number, confidence: number}[], needed?: number|null}} props */
export function ConfidenceChart({ points, needed }) {
  if (!points.length) return null;
  const attempts = points.at(-1).attempt;
  const words = points.map(({ attempt, confidence }) => `attempt ${attempt}: ${percent(confidence)}`).join(", ");
  const drawn = points.map(({ attempt, confidence }) => [across(attempt, attempts), down(confidence)]);
  return html`
    <h3>The Critic's confidence by attempt</h3>
    <p class="faint">The Critic's confidence after penalties decides whether to try again; it is not a probability of being right.</p>
    <svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img"
      aria-label="Confidence by attempt. ${words}.${needed == null ? "" : ` ${percent(needed)} is needed.`}">
      ${[0, 0.5, 1].map((value) => html`<line x1=${LEFT} x2=${WIDTH} y1=${down(value)} y2=${down(value)} class="grid" />
        <text x=${LEFT - 6} y=${down(value) + 3.5} class="axis">${percent(value)}</text>`)}
      ${needed != null && html`<line x1=${LEFT} x2=${WIDTH} y1=${down(needed)} y2=${down(needed)} class="needed" />`}
      <polyline points=${drawn.map((point) => point.join(",")).join(" ")} class="line" />
      ${drawn.map(([x, y]) => html`<circle cx=${x} cy=${y} r="3.5" class="point" />`)}
      ${Array.from({ length: attempts }, (_, index) => html`<text x=${across(index + 1, attempts)} y=${HEIGHT - 3}
        class="tick">${index + 1}</text>`)}
    </svg>
    <p class="faint">${words}.${needed == null ? "" : ` Dashed: the ${percent(needed)} that an answer needs.`}</p>
  `;
}

function across(attempt, attempts) {
  const room = WIDTH - LEFT - 24;
  return LEFT + 12 + (attempts === 1 ? room / 2 : (room * (attempt - 1)) / (attempts - 1));
}

function down(value) {
  return 6 + (1 - value) * (HEIGHT - BOTTOM - 10);
}
