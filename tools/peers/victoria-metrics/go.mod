// VictoriaMetrics of July 2025: as a Go module it has no versions.
module hdrscope.invalid/peers/victoria-metrics

go 1.26.0

require github.com/VictoriaMetrics/VictoriaMetrics v0.0.0-20250718125606-9d9bea03485e
