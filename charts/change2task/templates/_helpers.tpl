{{/* One name for all objects of a release; a release that bears the chart's name is not named twice. */}}
{{- define "change2task.name" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "change2task.account" -}}
{{ include "change2task.name" . }}-operator
{{- end -}}

{{- define "change2task.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: operator
{{- end -}}

{{- define "change2task.labels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{/* An image's reference: the one given, else below the registry's prefix under its usual name. (list context "operator") */}}
{{- define "change2task.image" -}}
{{- $context := index . 0 -}}
{{- $image := index . 1 -}}
{{- get $context.Values.images $image | default (printf "%s/%s:%s" (trimSuffix "/" $context.Values.registry.prefix) $image $context.Chart.AppVersion) -}}
{{- end -}}

{{/* Where the operator reads our resources, as a list of names in JSON; empty when it reads them everywhere. */}}
{{- define "change2task.watched" -}}
{{- .Values.watch.clusterWide | ternary (list) (.Values.watch.namespaces | uniq) | toJson -}}
{{- end -}}

{{/* Namespaces in which pods run that hold a repository's code, as far as they are known now. */}}
{{- define "change2task.prepared" -}}
{{- append .Values.watch.namespaces .Values.builds.namespace | uniq | toJson -}}
{{- end -}}

{{/* What the operator reads on start: change2task/operator/settings.py. */}}
{{- define "change2task.settings" -}}
registry:
  prefix: {{ trimSuffix "/" .Values.registry.prefix | quote }}
  insecure: {{ .Values.registry.insecure }}
{{- with .Values.registry.podsSecret }}
  podsSecret: {{ quote . }}
{{- end }}
{{- with .Values.registry.garbage }}
{{- if .enabled }}
  garbage: {{ dict "installation" .installation "afterDays" (int .afterDays) | toJson }}
{{- end }}
{{- end }}
images:
  runner: {{ include "change2task.image" (list . "runner") | quote }}
  builder: {{ include "change2task.image" (list . "builder") | quote }}
{{- with .Values.images.podman }}
  podman: {{ quote . }}
{{- end }}
mirrors:
  repositories: {{ toJson .Values.mirrors.repositories }}
  images: {{ toJson .Values.mirrors.images }}
{{- with .Values.baseImage }}
baseImage: {{ quote . }}
{{- end }}
{{- with .Values.index }}
{{- if or .url .secret }}
index:
{{- with .url }}
  url: {{ quote . }}
{{- end }}
{{- with .secret }}
  secret: {{ quote . }}
{{- end }}
{{- end }}
{{- end }}
{{- with .Values.authorities.configMap }}
authorities: {{ quote . }}
{{- end }}
{{- if ne .Values.builds.builder "dind" }}
build:
  builder: {{ .Values.builds.builder }}
{{- if eq .Values.builds.builder "external" }}
  external: {{ pick .Values.builds.external "host" "secret" "claim" | toJson }}
{{- end }}
{{- end }}
{{- if gt (int .Values.operator.replicas) 1 }}
lease:
  name: {{ include "change2task.account" . }}
  namespace: {{ .Release.Namespace }}
{{- end }}
buildsNamespace: {{ quote .Values.builds.namespace }}
watchNamespaces: {{ include "change2task.watched" . }}
caps: {{ toJson .Values.caps }}
workers: {{ int .Values.workers }}
slots: {{ int .Values.slots }}
allowUnisolated: {{ .Values.allowUnisolated }}
runtimeClassName: {{ .Values.runtimeClassName | default nil | toJson }}
profile: {{ quote .Values.profile }}
{{- end -}}

{{/* What reading candidates and running their Jobs takes, in each namespace that is watched. */}}
{{- define "change2task.watchedRules" -}}
- apiGroups: [change2task.dev]
  resources: [modernbases]
  verbs: [get, list, watch]
- apiGroups: [change2task.dev]
  resources: [taskcandidates]
  verbs: [get, list, watch, create]
- apiGroups: [change2task.dev]
  resources: [taskvariants]
  verbs: [get, list, watch, create, patch]
- apiGroups: [change2task.dev]
  resources: [modernbases/status, taskcandidates/status, taskvariants/status]
  verbs: [patch]
- apiGroups: [""]
  resources: [events]
  verbs: [create]
{{ include "change2task.jobRules" . }}
{{- end -}}

{{/* What a Job takes, wherever it runs. */}}
{{- define "change2task.jobRules" -}}
- apiGroups: [batch]
  resources: [jobs]
  verbs: [get, list, watch, create, patch, delete]
- apiGroups: [""]
  resources: [pods]
  verbs: [get, list, watch]
- apiGroups: [""]
  resources: [pods/log]
  verbs: [get]
- apiGroups: [""]
  resources: [events]
  verbs: [list]
{{- end -}}
