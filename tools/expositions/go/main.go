// Writes what client_golang exposes for known values: `go run . FOLDER`. See ../README.md.
package main

import (
	"math"
	"os"
	"path/filepath"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"
)

func main() {
	registry := prometheus.NewRegistry()
	histogram := func(options prometheus.HistogramOpts) *prometheus.HistogramVec {
		options.Help = "Known values"
		vec := prometheus.NewHistogramVec(options, []string{"route"})
		registry.MustRegister(vec)
		return vec
	}
	bounds := []float64{0.005, 0.1, 0.25, 0.5, 1, 2.5}
	native := prometheus.HistogramOpts{NativeHistogramBucketFactor: 1.1, NativeHistogramZeroThreshold: 0.001}
	classic := histogram(prometheus.HistogramOpts{Name: "classic_seconds", Buckets: bounds})
	fine := histogram(with(native, "native_seconds", nil))
	both := histogram(with(native, "both_seconds", bounds))
	few := with(native, "few_seconds", nil)
	few.NativeHistogramMaxBucketNumber = 8
	coarse := histogram(few)
	signed := histogram(with(native, "signed", nil))
	special := histogram(with(native, "special", nil))
	histogram(with(native, "empty_seconds", bounds)).WithLabelValues("/none")
	for i, value := range values() {
		route := []string{"/a", "/b \"quoted\"\\\n"}[i%2]
		for _, one := range []*prometheus.HistogramVec{classic, fine, both, coarse} {
			one.WithLabelValues(route).Observe(value)
		}
		signed.WithLabelValues("/a").Observe(value - 2)
	}
	for _, value := range []float64{1, math.Inf(1), math.Inf(1), math.Inf(-1), math.NaN(), 5e-324, math.MaxFloat64} {
		special.WithLabelValues("/a").Observe(value)
	}
	summary := prometheus.NewSummary(prometheus.SummaryOpts{Name: "summary_seconds", Help: "Left out", Objectives: map[float64]float64{0.5: 0.05}})
	summary.Observe(1)
	registry.MustRegister(summary)

	families, err := registry.Gather()
	check(err)
	for name, format := range map[string]expfmt.Format{
		"go.text.txt":        expfmt.NewFormat(expfmt.TypeTextPlain),
		"go.openmetrics.txt": expfmt.NewFormat(expfmt.TypeOpenMetrics),
		"go.protobuf.bin":    expfmt.NewFormat(expfmt.TypeProtoDelim),
	} {
		file, err := os.Create(filepath.Join(os.Args[1], name))
		check(err)
		encoder := expfmt.NewEncoder(file, format, expfmt.WithCreatedLines())
		for _, family := range families {
			check(encoder.Encode(family))
		}
		if closer, ok := encoder.(expfmt.Closer); ok {
			check(closer.Close())
		}
		check(file.Close())
	}
}

func with(options prometheus.HistogramOpts, name string, buckets []float64) prometheus.HistogramOpts {
	options.Name = name
	options.Buckets = buckets
	return options
}

// The values of all programs, in thousandths from 0 to 4.999.
func values() []float64 {
	all := make([]float64, 2000)
	state := uint64(42)
	for i := range all {
		state = (state*1103515245 + 12345) % 2147483648
		all[i] = float64((state/65536)%5000) / 1000
	}
	return all
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
