// A run as a file.
import { call } from "../api.js";
import { useShared } from "../context.js";
import { html, useEffect, useRef, useState } from "../html.js";
import { Icon } from "./signs.js";

const FORMATS = [
  ["md", "Markdown"],
  ["html", "HTML"],
  ["pdf", "PDF"],
  ["docx", "Word (DOCX)"],
  ["json", "JSON, with everything"],
];

export function ExportMenu({ path, runId }) {
  const { tellProblem, notify } = useShared();
  const [isOpen, setIsOpen] = useState(false);
  const box = useRef(null);
  const toggle = useRef(null);
  useEffect(() => {
    if (!isOpen) return undefined;
    const onKey = (event) => {
      if (event.key !== "Escape") return;
      setIsOpen(false);
      toggle.current.focus();
    };
    const onClick = (event) => !box.current.contains(event.target) && setIsOpen(false);
    addEventListener("keydown", onKey);
    addEventListener("click", onClick);
    return () => {
      removeEventListener("keydown", onKey);
      removeEventListener("click", onClick);
    };
  }, [isOpen]);
  const save = async (format) => {
    setIsOpen(false);
    try {
      download(await (await call("GET", `${path}/export?format=${format}`)).blob(), `masis-${runId}.${format}`);
      notify("The file is in your downloads.");
    } catch (problem) {
      tellProblem(problem);
    }
  };
  return html`
    <div class="menu" ref=${box}>
      <button type="button" ref=${toggle} aria-expanded=${isOpen} aria-controls="export-formats"
        onClick=${() => setIsOpen(!isOpen)}><${Icon} name="download" />
        <span class="on-wide">Export</span></button>
      <ul id="export-formats" class="menu-items" hidden=${!isOpen}>${FORMATS.map(([format, word]) => html`<li>
        <button type="button" class="quiet" onClick=${() => save(format)}>${word}</button></li>`)}</ul>
    </div>
  `;
}

function download(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
