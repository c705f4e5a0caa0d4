// The Go side: `contention WRITERS`. Goroutines record into one native histogram of client_golang. measure.js describes
// the answers.
package main

import (
	"bufio"
	"encoding/json"
	"log"
	"math"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
)

// Records between two looks at the clock.
const block = 1024

type sample struct {
	Records  []int64 `json:"records"`
	BusyNs   []int64 `json:"busyNs"`
	WallNs   int64   `json:"wallNs"`
	Counted  int64   `json:"counted"`
	Checksum float64 `json:"checksum"`
	Runtime  string  `json:"runtime"`
}

type ready struct {
	Ready bool `json:"ready"`
}

func main() {
	writers, err := strconv.Atoi(os.Args[1])
	check(err)
	histogram := prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "latency",
		// Schema 7: 128 buckets for each power of two, as many as slots in an HDR layout of two digits.
		NativeHistogramBucketFactor: 1.0055,
	})
	values := latencies()
	output := json.NewEncoder(os.Stdout)
	check(output.Encode(ready{true}))
	input := bufio.NewScanner(os.Stdin)
	for input.Scan() {
		ms, err := strconv.Atoi(input.Text())
		check(err)
		check(output.Encode(take(histogram, values, writers, time.Duration(ms)*time.Millisecond)))
	}
	check(input.Err())
}

func take(histogram prometheus.Histogram, values []float64, writers int, length time.Duration) sample {
	records := make([]int64, writers)
	starts := make([]time.Time, writers)
	ends := make([]time.Time, writers)
	var arrived, done sync.WaitGroup
	arrived.Add(writers)
	done.Add(writers)
	gate := make(chan struct{})
	for writer := range writers {
		go func() {
			arrived.Done()
			<-gate
			start := time.Now()
			counted := recordFor(histogram, values, writer*len(values)/writers, start.Add(length))
			records[writer], starts[writer], ends[writer] = counted, start, time.Now()
			done.Done()
		}()
	}
	arrived.Wait()
	close(gate)
	done.Wait()

	first, last := starts[0], ends[0]
	busy := make([]int64, writers)
	for writer := range writers {
		busy[writer] = ends[writer].Sub(starts[writer]).Nanoseconds()
		if starts[writer].Before(first) {
			first = starts[writer]
		}
		if ends[writer].After(last) {
			last = ends[writer]
		}
	}
	checksum := 0.0
	for _, value := range values {
		checksum += value
	}
	return sample{
		Records:  records,
		BusyNs:   busy,
		WallNs:   last.Sub(first).Nanoseconds(),
		Counted:  countsOf(histogram),
		Checksum: checksum,
		Runtime:  "Go " + strings.TrimPrefix(runtime.Version(), "go"),
	}
}

func recordFor(histogram prometheus.Histogram, values []float64, first int, end time.Time) int64 {
	mask := len(values) - 1
	records := 0
	for ; time.Now().Before(end); records += block {
		from := first + records
		for i := from; i < from+block; i++ {
			histogram.Observe(values[i&mask])
		}
	}
	return int64(records)
}

// The sum of all native buckets, which the histogram encodes as differences.
func countsOf(histogram prometheus.Histogram) int64 {
	var metric dto.Metric
	check(histogram.Write(&metric))
	var bucket, sum int64
	for _, delta := range metric.GetHistogram().GetPositiveDelta() {
		bucket += delta
		sum += bucket
	}
	return sum
}

// The latencies of tools/bench/values.js.
func latencies() []float64 {
	state := uint32(20250101)
	uniform := func() float64 {
		state = state*1664525 + 1013904223
		return (float64(state) + 0.5) / (1 << 32)
	}
	values := make([]float64, 0, 1<<15)
	for len(values) < cap(values) {
		radius := math.Sqrt(-2 * math.Log(uniform()))
		normal := radius * math.Cos(2*math.Pi*uniform())
		value := math.Round(2e6 * math.Exp(1.2*normal))
		if value >= 1 && value < 1<<31 {
			values = append(values, value)
		}
	}
	return values
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
