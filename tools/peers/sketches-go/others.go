package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/VictoriaMetrics/metrics"
	"github.com/circonus-labs/circonusllhist"
)

// A bin as Envoy's admin writes it.
type envoyBin struct {
	LowerBound float64 `json:"lower_bound"`
	Width      float64 `json:"width"`
	Count      float64 `json:"count"`
}

// Counts values with circonusllhist, whose bins Envoy has, and writes them in the JSON of Envoy's admin.
func makeCircllhist(values [][2]float64) (answer, error) {
	histogram := circonusllhist.New()
	for _, value := range values {
		if err := histogram.RecordValues(value[0], int64(value[1])); err != nil {
			return answer{}, err
		}
	}
	bins := []envoyBin{}
	slots := [][3]float64{}
	for _, text := range histogram.DecStrings() {
		// H[2.1e+01]=3
		parts := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("H[]=", r) })
		lower, _ := strconv.ParseFloat(parts[0], 64)
		count, _ := strconv.ParseFloat(parts[1], 64)
		width := 0.0
		if lower != 0 {
			exponent, _ := strconv.Atoi(parts[0][strings.IndexByte(parts[0], 'e')+1:])
			width, _ = strconv.ParseFloat(fmt.Sprintf("1e%d", exponent-1), 64)
		}
		bins = append(bins, envoyBin{lower, width, count})
		slots = append(slots, [3]float64{lower, lower + width, count})
	}
	sort.Slice(slots, func(a, b int) bool { return slots[a][0] < slots[b][0] })
	stats := map[string]any{"stats": []any{
		map[string]any{"name": "server.live", "value": 1},
		map[string]any{"histograms": map[string]any{
			"supported_percentiles": []float64{},
			"details": []any{
				map[string]any{"name": "cluster.a.upstream_rq_time", "totals": bins, "intervals": []any{}, "percentiles": []any{}},
			},
		}},
	}}
	input, err := json.Marshal(stats)
	return answer{Bytes: string(input), Slots: slots}, err
}

// Counts values with the client of VictoriaMetrics.
func makeVmranges(values [][2]float64) (answer, error) {
	set := metrics.NewSet()
	histogram := set.NewHistogram(`request_seconds{path="/a"}`)
	for _, value := range values {
		for i := 0; i < int(value[1]); i++ {
			histogram.Update(value[0])
		}
	}
	slots := [][3]float64{}
	histogram.VisitNonZeroBuckets(func(vmrange string, count uint64) {
		lower, upper, _ := strings.Cut(vmrange, "...")
		from, _ := strconv.ParseFloat(lower, 64)
		to, _ := strconv.ParseFloat(upper, 64)
		// JSON has no infinite number.
		slots = append(slots, [3]float64{from, math.Min(to, math.MaxFloat64), float64(count)})
	})
	text := bytes.Buffer{}
	set.WritePrometheus(&text)
	return answer{Bytes: text.String(), Slots: slots}, nil
}

// Counts values with hdrhistogram-go, at two significant digits.
func makeHdr(values [][2]float64) (answer, error) {
	histogram := hdrhistogram.New(1, 3_600_000_000, 2)
	for _, value := range values {
		if err := histogram.RecordValues(int64(value[0]), int64(value[1])); err != nil {
			return answer{}, err
		}
	}
	slots := [][3]float64{}
	for _, bar := range histogram.Distribution() {
		if bar.Count > 0 {
			slots = append(slots, [3]float64{float64(bar.From), float64(bar.To), float64(bar.Count)})
		}
	}
	text, err := histogram.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	return answer{Bytes: string(text), Slots: slots}, err
}
