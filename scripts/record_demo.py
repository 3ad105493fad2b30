"""Records real `masis` output as the README's picture: docs/images/conflict.svg."""

import io
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).parent.parent
MASIS = str(Path(sys.executable).parent / "masis")
WIDTH = 104
SPINNER = re.compile(r"[\u2800-\u28ff]")
QUESTION = "What was customer churn in fiscal 2025?"
# Rich's template links fonts on another server; the page must not fetch anything from outside.
TEMPLATE = re.sub(r"@font-face \{\{.*?\}\}\s*", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)


def recorded(home: str, *words: str) -> str:
    env = os.environ | {
        "MASIS_HOME": home,
        "FORCE_COLOR": "1",
        "COLUMNS": str(WIDTH),
        "TERM": "xterm-256color",
    }
    done = subprocess.run([MASIS, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=env)
    # The spinner redraws its line; only what stays on the screen belongs in the picture.
    return "\n".join(line for line in done.stdout.splitlines() if not SPINNER.search(line))


def main() -> None:
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True)
    with tempfile.TemporaryDirectory() as home:
        recorded(home, "ingest", str(ROOT / "examples" / "tolmerick"), "-w", "tolmerick")
        console.print(Text(f'$ masis ask "{QUESTION}" --workspace tolmerick', style="bold"))
        console.print(Text.from_ansi(recorded(home, "ask", QUESTION, "-w", "tolmerick")))
    picture = ROOT / "docs" / "images" / "conflict.svg"
    picture.parent.mkdir(exist_ok=True)
    picture.write_text(console.export_svg(title="masis", code_format=TEMPLATE, unique_id="masis"))


if __name__ == "__main__":
    main()
