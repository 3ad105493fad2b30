#!/bin/sh
# The libraries MASIS is measured beside, in an environment of their own: they are no part of MASIS.
set -eu

folder="$(cd "$(dirname "$0")/.." && pwd)/.cache/peers"
python="${PYTHON:-python3}"

"$python" -m venv "$folder"
"$folder/bin/python" -m pip install -q --disable-pip-version-check \
    "langchain-community==0.4.2" "langchain-text-splitters==1.1.3" "faiss-cpu==1.15.1" "rank-bm25==0.2.2" \
    "llama-index-core==0.14.25" "llama-index-readers-file==0.7.0" "pypdf==6.21.4" "haystack-ai==3.4.0" \
    "onnxruntime==1.31.1" "tokenizers==0.23.3" "dbos==3.3.0" "pdfplumber==0.11.10" "pdf_oxide==0.3.78" \
    "procrastinate==3.10.0" "pgqueuer==1.6.0" "asyncpg==0.32.0"
touch "$folder/.ready"
echo "$folder"
