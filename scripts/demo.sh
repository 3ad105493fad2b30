#!/bin/sh
# The main job, as a person would do it: load documents, ask three questions.
set -eu

if [ -t 1 ]; then bold=$(printf '\033[1m'); dim=$(printf '\033[2m'); off=$(printf '\033[0m'); else bold= dim= off=; fi
say() { printf '\n%s%s%s\n' "$bold" "$1" "$off"; }
run() {
    printf '%s$ masis' "$dim"
    for word in "$@"; do case $word in *\ *) printf ' "%s"' "$word" ;; *) printf ' %s' "$word" ;; esac; done
    printf '%s\n' "$off"
    masis "$@"
}

say "The sample workspace: nine documents of a fictional company, Tolmerick Instruments"
run ingest examples/tolmerick --workspace tolmerick

say "1. A question the documents answer"
run ask "Which region grew fastest in fiscal 2025, and what drove its growth?" --workspace tolmerick

say "2. A question on which two documents disagree: a person must decide"
run ask "What was customer churn in fiscal 2025?" --workspace tolmerick

say "3. A question the documents do not answer: MASIS says so instead of inventing"
run ask "How many patents does Tolmerick hold?" --workspace tolmerick

say "Next"
cat <<'EOT'
  Put `masis` on your path:      . .venv/bin/activate
  Settle the conflict above:     run one of the `masis answer` lines printed with it
  See it in the browser:         masis serve   (then open http://127.0.0.1:8000)
  Load documents of your own:    masis ingest ~/reports --workspace mine
  Ask them:                      masis ask "…" --workspace mine
  Use a chat model instead:      export OPENAI_API_KEY=…  (or MASIS_MODEL_BASE_URL for any compatible server)
  See what is configured:        masis doctor
EOT
