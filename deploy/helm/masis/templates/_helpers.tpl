{{- define "masis.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "masis.labels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "masis.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "masis.restricted" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end }}

{{- define "masis.pod" -}}
automountServiceAccountToken: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile: {type: RuntimeDefault}
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
volumes:
  - name: data
    emptyDir: {}
  - name: tmp
    emptyDir: {}
{{- end }}

{{- define "masis.container" -}}
image: {{ include "masis.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext: {{ include "masis.restricted" . | nindent 2 }}
envFrom:
  - configMapRef: {name: {{ include "masis.name" . }}}
  - secretRef: {name: {{ .Values.existingSecret }}}
volumeMounts:
  - {name: data, mountPath: /data}
  - {name: tmp, mountPath: /tmp}
{{- end }}

{{- define "masis.metrics" -}}
{{- if and .Values.worker.autoscaling.enabled (not .Values.metrics.enabled) }}
{{- fail "worker.autoscaling reads the queue from /metrics: set metrics.enabled, and keep /metrics out of what the ingress forwards." }}
{{- end }}
{{- if .Values.metrics.enabled }}yes{{ end }}
{{- end }}
