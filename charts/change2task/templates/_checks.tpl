{{/* What a schema cannot say, because it is said of two values, or for a reader who said nothing. */}}
{{- define "change2task.checks" -}}
{{- if not .Values.registry.prefix -}}
{{- fail "registry.prefix must be said: where images are pushed, such as registry.example.org/change2task" -}}
{{- end -}}
{{- if and .Values.registry.garbage.enabled (not .Values.registry.garbage.installation) -}}
{{- fail "registry.garbage.installation must be said: what another installation uses must be told from what this one does" -}}
{{- end -}}
{{- if and (eq .Values.builds.builder "podman") (not .Values.images.podman) -}}
{{- fail "images.podman must be said: builds.builder is podman, and no such image is made by us" -}}
{{- end -}}
{{- if eq .Values.builds.builder "external" -}}
{{- range $name := list "host" "secret" "claim" -}}
{{- if not (get $.Values.builds.external $name) -}}
{{- fail (printf "builds.external.%s must be said: builds.builder is external" $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if has .Release.Namespace .Values.watch.namespaces -}}
{{- fail (printf "watch.namespaces: %s is the release's own; whoever makes pods there can have the operator's rights" .Release.Namespace) -}}
{{- end -}}
{{- if has .Values.builds.namespace (append .Values.watch.namespaces .Release.Namespace) -}}
{{- fail (printf "builds.namespace: %s is watched or the release's own; builds are privileged and take a namespace of their own" .Values.builds.namespace) -}}
{{- end -}}
{{- end -}}
