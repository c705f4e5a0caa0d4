// Prometheus 3.16.0: as a Go module its major version is 0.
module hdrscope.invalid/peers/prometheus

go 1.26.0

require github.com/prometheus/prometheus v0.316.0
