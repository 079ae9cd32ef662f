{{- define "labels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- /* Sources of a network policy. */}}
{{- define "peers" -}}
{{- range . }}
{{- if .cidr }}
- ipBlock:
    cidr: {{ .cidr | quote }}
{{- else }}
- podSelector:
    matchLabels:
      {{- toYaml (.podLabels | default dict) | nindent 6 }}
  {{- if .namespaceLabels }}
  namespaceSelector:
    matchLabels:
      {{- toYaml .namespaceLabels | nindent 6 }}
  {{- end }}
{{- end }}
{{- end }}
{{- end }}
