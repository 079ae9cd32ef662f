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

{{- /* Contents of the trust files and of the files of secrets and config maps. Tokens are reloaded, and claims cannot be read. */}}
{{- define "contents" -}}
{{- $namespace := .Release.Namespace }}
{{- with .Values.trustSecretName }}
{{- toJson (lookup "v1" "Secret" $namespace .).data }}
{{- end }}
{{- range .Values.files }}
{{- with .secret }}
{{- toJson (lookup "v1" "Secret" $namespace .).data }}
{{- end }}
{{- with .configMap }}
{{- $map := lookup "v1" "ConfigMap" $namespace . }}
{{- toJson $map.data }}{{ toJson $map.binaryData }}
{{- end }}
{{- end }}
{{- end }}
