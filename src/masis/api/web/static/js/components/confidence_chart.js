// Confidence from attempt to attempt.
import { html } from "../html.js";
import { percent } from "../logic/format.js";

const WIDTH = 300;
const HEIGHT = 96;
const LEFT = 34;
const BOTTOM = 18;
const NEEDED = 0.65;

export function ConfidenceChart({ history }) {
  if (!history.length) return null;
  const words = history.map((value, index) => `attempt ${index + 1}: ${percent(value)}`).join(", ");
  const points = history.map((value, index) => [across(index, history.length), down(value)]);
  return html`
    <h3>Confidence by attempt</h3>
    <svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img"
      aria-label="Confidence by attempt. ${words}. ${percent(NEEDED)} is needed.">
      ${[0, 0.5, 1].map((value) => html`<line x1=${LEFT} x2=${WIDTH} y1=${down(value)} y2=${down(value)} class="grid" />
        <text x=${LEFT - 6} y=${down(value) + 3.5} class="axis">${percent(value)}</text>`)}
      <line x1=${LEFT} x2=${WIDTH} y1=${down(NEEDED)} y2=${down(NEEDED)} class="needed" />
      <polyline points=${points.map((point) => point.join(",")).join(" ")} class="line" />
      ${points.map(([x, y], index) => html`<circle cx=${x} cy=${y} r="3.5" class="point" />
        <text x=${x} y=${HEIGHT - 3} class="tick">${index + 1}</text>`)}
    </svg>
    <p class="faint">${words}. Dashed: the ${percent(NEEDED)} that an answer needs.</p>
  `;
}

function across(index, count) {
  const room = WIDTH - LEFT - 24;
  return LEFT + 12 + (count === 1 ? room / 2 : (room * index) / (count - 1));
}

function down(value) {
  return 6 + (1 - value) * (HEIGHT - BOTTOM - 10);
}
