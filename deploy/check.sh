#!/usr/bin/env bash
# Checks the files of this folder with the tools that read them: `deploy/check.sh`, from any folder.
# Needs promtool (Debian: the package prometheus). A missing tool is an error.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

promtool check config prometheus/prometheus.yml
promtool test rules prometheus/alerts.test.yaml
