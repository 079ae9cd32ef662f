#!/usr/bin/env bash
# Checks the files of this folder with the tools that read them: `deploy/check.sh`, from any folder.
# Needs promtool (Debian: the package prometheus), helm (go install helm.sh/helm/v3/cmd/helm@v3.22.0) and kubernetes-validate
# (pip install kubernetes-validate==1.37.0). A missing tool is an error.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
KUBERNETES=1.30
# Kinds of the Prometheus operator, which Kubernetes itself does not know.
OPERATOR_KINDS='^kind: (ServiceMonitor|PrometheusRule)$'

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

promtool check config prometheus/prometheus.yml
promtool test rules prometheus/alerts.test.yaml

helm lint --quiet --strict helm 2> "$work/notes"
for values in helm/ci/*-values.yaml; do
  helm lint --quiet --strict helm --values "$values" 2> "$work/notes"
  name=$(basename "$values" -values.yaml)
  helm template "$name" helm --namespace ratings --values "$values" --output-dir "$work/$name" > "$work/notes" 2>&1
  mapfile -t known < <(grep -LEr "$OPERATOR_KINDS" "$work/$name")
  kubernetes-validate --quiet --strict --kubernetes-version "$KUBERNETES" "${known[@]}"
  echo "rendered $name: $(find "$work/$name" -type f | wc -l) files"
done

# The rules of a release are those of prometheus/alerts.yaml for its own targets.
sed '1,/^spec:/d; s/^  //' "$work/monitoring/machine-rating/templates/prometheus-rule.yaml" > "$work/alerts.yaml"
promtool check rules "$work/alerts.yaml"
grep -q 'absent(up{job="machine-rating",namespace="ratings",service="monitoring-metrics"})' "$work/alerts.yaml"
