// Reads sketches with Go's standard library only, and answers the questions of tools/conformance/run.js.
//
// It shares no code with hdrscope and none with the libraries that made the vectors.
package main

import (
	"bufio"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/bits"
	"os"
	"regexp"
	"sort"
	"strconv"
)

type slot [3]float64

type question struct {
	ID     int    `json:"id"`
	Form   string `json:"form"`
	Writer string `json:"writer"`
	Input  string `json:"input"`
}

type answer struct {
	ID          int    `json:"id"`
	Slots       []slot `json:"slots,omitempty"`
	Unsupported bool   `json:"unsupported,omitempty"`
	Error       string `json:"error,omitempty"`
}

// What a DDSketch has, in either encoding.
type sketch struct {
	gamma, offset, zero float64
	interpolation       int
	stores              [2]map[int]float64
}

var errCut = fmt.Errorf("the bytes end within a field")

// The bounds of the slots.

const minNormal = 0x1p-1022

func fraction(x float64) (float64, float64) {
	floor := math.Floor(x)
	return x - floor, math.Exp2(floor)
}

func inverse(interpolation int, x float64) float64 {
	part, power := fraction(x)
	switch interpolation {
	case 1:
		return (1 + part) * power
	case 2:
		return (3 - math.Sqrt(4-3*part)) * power
	}
	// The polynomial rises, so its inverse is found by halving.
	low, high := 0.0, 1.0
	for range 80 {
		s := (low + high) / 2
		if ((6.0/35*s-3.0/5)*s+10.0/7)*s < part {
			low = s
		} else {
			high = s
		}
	}
	return (1 + low) * power
}

func (s sketch) slots(writer string) []slot {
	step := math.Log(s.gamma)
	isFloor := writer == "sketches-go" || writer == "sketches-java"
	edge := func(index float64) float64 {
		steps := (index - s.offset) * step
		switch {
		case s.interpolation == 0:
			return math.Exp(steps)
		case isFloor:
			return inverse(s.interpolation, steps/math.Ln2)
		case s.interpolation == 3:
			return inverse(3, steps*10/7)
		case writer == "sketches-js":
			return math.Exp2(steps)
		}
		return inverse(1, steps)
	}
	found := []slot{}
	if s.zero > 0 {
		correction := 1.0
		if isFloor {
			correction = [4]float64{1, 1 / math.Ln2, 3 / (4 * math.Ln2), 7 / (10 * math.Ln2)}[s.interpolation]
		}
		bound := minNormal * math.Pow(s.gamma, correction)
		found = append(found, slot{-bound, bound, s.zero})
	}
	for side, store := range s.stores {
		for index, count := range store {
			first := float64(index)
			if !isFloor {
				first--
			}
			lower, upper := edge(first), edge(first+1)
			if side == 1 {
				lower, upper = -upper, -lower
			}
			if count > 0 {
				found = append(found, slot{lower, upper, count})
			}
		}
	}
	sort.Slice(found, func(a, b int) bool { return found[a][0] < found[b][0] })
	return found
}

// Protobuf.

// Calls a function for each field of a message, with an integer, the bits of a double, or bytes.
func eachField(data []byte, take func(number uint64, value uint64, bytes []byte) error) error {
	for len(data) > 0 {
		tag, length := binary.Uvarint(data)
		if length <= 0 {
			return errCut
		}
		data = data[length:]
		var value uint64
		var bytes []byte
		switch tag & 7 {
		case 0:
			value, length = binary.Uvarint(data)
		case 1:
			length = 8
			if len(data) >= 8 {
				value = binary.LittleEndian.Uint64(data)
			}
		case 2:
			size, header := binary.Uvarint(data)
			length = header + int(size)
			if header > 0 && length <= len(data) {
				bytes = data[header:length]
			}
		}
		if length <= 0 || length > len(data) {
			return errCut
		}
		data = data[length:]
		if err := take(tag>>3, value, bytes); err != nil {
			return err
		}
	}
	return nil
}

func zigzag(value uint64) int { return int(value>>1) ^ -int(value&1) }

func readStore(data []byte) (map[int]float64, error) {
	counts := map[int]float64{}
	contiguous := []float64{}
	offset := 0
	err := eachField(data, func(number, value uint64, bytes []byte) error {
		switch number {
		case 1:
			index, count := 0, 0.0
			err := eachField(bytes, func(number, value uint64, _ []byte) error {
				if number == 1 {
					index = zigzag(value)
				} else {
					count = math.Float64frombits(value)
				}
				return nil
			})
			counts[index] += count
			return err
		case 2:
			for ; len(bytes) >= 8; bytes = bytes[8:] {
				contiguous = append(contiguous, math.Float64frombits(binary.LittleEndian.Uint64(bytes)))
			}
		case 3:
			offset = zigzag(value)
		}
		return nil
	})
	for at, count := range contiguous {
		counts[offset+at] += count
	}
	return counts, err
}

func readDdsketch(input, writer string) ([]slot, error) {
	data, err := base64.StdEncoding.DecodeString(input)
	if err != nil {
		return nil, err
	}
	s := sketch{}
	err = eachField(data, func(number, value uint64, bytes []byte) (err error) {
		switch number {
		case 1:
			return eachField(bytes, func(number, value uint64, _ []byte) error {
				switch number {
				case 1:
					s.gamma = math.Float64frombits(value)
				case 2:
					s.offset = math.Float64frombits(value)
				case 3:
					s.interpolation = int(value)
				}
				return nil
			})
		case 2, 3:
			s.stores[number-2], err = readStore(bytes)
		case 4:
			s.zero = math.Float64frombits(value)
		}
		return err
	})
	return s.slots(writer), err
}

// The encoding of sketches-go and sketches-java.

type blocks struct{ data []byte }

func (b *blocks) take(count int) []byte {
	if count > len(b.data) {
		panic(errCut)
	}
	found := b.data[:count]
	b.data = b.data[count:]
	return found
}

func (b *blocks) double() float64 {
	return math.Float64frombits(binary.LittleEndian.Uint64(b.take(8)))
}

func (b *blocks) uvarint() (value uint64) {
	for place := range 9 {
		next := b.take(1)[0]
		if place == 8 {
			return value | uint64(next)<<56
		}
		value |= uint64(next&0x7f) << (7 * place)
		if next < 0x80 {
			break
		}
	}
	return value
}

func (b *blocks) varfloat() float64 {
	value := uint64(0)
	for place := range 9 {
		next := b.take(1)[0]
		if place == 8 {
			value |= uint64(next)
			break
		}
		value |= uint64(next&0x7f) << (57 - 7*place)
		if next < 0x80 {
			break
		}
	}
	return math.Float64frombits(bits.RotateLeft64(value, -6)+math.Float64bits(1)) - 1
}

func readBlocks(input, writer string) (found []slot, err error) {
	data, err := base64.StdEncoding.DecodeString(input)
	if err != nil {
		return nil, err
	}
	defer func() {
		if recover() != nil {
			err = errCut
		}
	}()
	b := blocks{data}
	s := sketch{stores: [2]map[int]float64{{}, {}}}
	for len(b.data) > 0 {
		flag := b.take(1)[0]
		kind, what := flag&3, flag>>2
		switch {
		case kind == 2:
			s.interpolation, s.gamma, s.offset = int(what), b.double(), b.double()
		case kind == 0 && what == 1:
			s.zero += b.varfloat()
		case kind == 0:
			return nil, fmt.Errorf("there is no feature %d", what)
		default:
			store := s.stores[kind>>1]
			bins := int(b.uvarint())
			index, step := 0, 0
			if what == 3 {
				index, step = zigzag(b.uvarint()), zigzag(b.uvarint())
			}
			for range bins {
				count := 1.0
				if what != 3 {
					index += zigzag(b.uvarint())
				}
				if what != 2 {
					count = b.varfloat()
				}
				store[index] += count
				index += step
			}
		}
	}
	return s.slots(writer), nil
}

// Other forms.

func readCircllhist(input, _ string) ([]slot, error) {
	type bin struct {
		Lower float64 `json:"lower_bound"`
		Width float64 `json:"width"`
		Count float64 `json:"count"`
	}
	document := struct {
		Stats []struct {
			Histograms struct{ Details []struct{ Totals []bin } }
		}
	}{}
	err := json.Unmarshal([]byte(input), &document)
	found := []slot{}
	for _, stat := range document.Stats {
		for _, histogram := range stat.Histograms.Details {
			for _, one := range histogram.Totals {
				found = append(found, slot{one.Lower, one.Lower + one.Width, one.Count})
			}
		}
	}
	return found, err
}

var vmrange = regexp.MustCompile(`vmrange="(.*?)\.\.\.(.*?)"\} (\d+)`)

func readVmrange(input, _ string) ([]slot, error) {
	found := []slot{}
	for _, match := range vmrange.FindAllStringSubmatch(input, -1) {
		one := slot{}
		for at := range one {
			value, err := strconv.ParseFloat(match[at+1], 64)
			if err != nil {
				return nil, err
			}
			one[at] = math.Min(value, math.MaxFloat64)
		}
		found = append(found, one)
	}
	return found, nil
}

func readElasticsearch(input, _ string) ([]slot, error) {
	value := struct {
		Scale    int
		Positive struct {
			Indices []int64
			Counts  []float64
		}
	}{}
	err := json.Unmarshal([]byte(input), &value)
	found := []slot{}
	for at, index := range value.Positive.Indices {
		bound := func(index int64) float64 { return math.Exp2(math.Ldexp(float64(index), -value.Scale)) }
		found = append(found, slot{bound(index), bound(index + 1), value.Positive.Counts[at]})
	}
	return found, err
}

// Metrics.

// Slots between bounds, of which the upper one is inclusive.
func classic(bounds []float64, counts []float64) []slot {
	found := []slot{}
	for at, count := range counts {
		lower, upper := -math.MaxFloat64, math.MaxFloat64
		if at > 0 {
			lower = bounds[at-1]
		}
		if at < len(bounds) {
			upper = bounds[at]
		}
		if count > 0 {
			found = append(found, slot{lower, upper, count})
		}
	}
	return found
}

// Slots of positive buckets: bucket i reaches from base^i, exclusive, to base^(i+1).
func exponential(scale int, zeroThreshold, zeroCount float64, buckets map[int]float64) []slot {
	found := []slot{}
	if zeroCount > 0 {
		found = append(found, slot{-zeroThreshold, zeroThreshold, zeroCount})
	}
	edge := func(index int) float64 { return math.Exp2(math.Ldexp(float64(index), -scale)) }
	for index, count := range buckets {
		if count > 0 {
			found = append(found, slot{edge(index), edge(index + 1), count})
		}
	}
	sort.Slice(found, func(a, b int) bool { return found[a][0] < found[b][0] })
	return found
}

// The first field of a number.
func firstField(data []byte, wanted uint64) (found []byte, err error) {
	err = eachField(data, func(number, _ uint64, bytes []byte) error {
		if number == wanted && found == nil {
			found = bytes
		}
		return nil
	})
	return found, err
}

func readPrometheusProtobuf(input, _ string) ([]slot, error) {
	data, err := base64.StdEncoding.DecodeString(input)
	if err != nil {
		return nil, err
	}
	_, length := binary.Uvarint(data)
	metric, err := firstField(data[length:], 4)
	if err != nil {
		return nil, err
	}
	histogram, err := firstField(metric, 7)
	if err != nil {
		return nil, err
	}
	var total, before, zeroThreshold, zeroCount float64
	var schema, index int
	bounds, counts := []float64{}, []float64{}
	spans, deltas := [][2]int{}, []float64{}
	err = eachField(histogram, func(number, value uint64, bytes []byte) error {
		switch number {
		case 1:
			total = float64(value)
		case 3:
			bound, below := 0.0, 0.0
			err := eachField(bytes, func(number, value uint64, _ []byte) error {
				if number == 1 {
					below = float64(value)
				} else if number == 2 {
					bound = math.Float64frombits(value)
				}
				return nil
			})
			if !math.IsInf(bound, 1) {
				bounds, counts, before = append(bounds, bound), append(counts, below-before), below
			}
			return err
		case 5:
			schema = zigzag(value)
		case 6:
			zeroThreshold = math.Float64frombits(value)
		case 7:
			zeroCount = float64(value)
		case 12:
			span := [2]int{}
			err := eachField(bytes, func(number, value uint64, _ []byte) error {
				if number == 1 {
					span[0] = zigzag(value)
				} else {
					span[1] = int(value)
				}
				return nil
			})
			spans = append(spans, span)
			return err
		case 13:
			if bytes == nil {
				deltas = append(deltas, float64(zigzag(value)))
			}
			for len(bytes) > 0 {
				value, length := binary.Uvarint(bytes)
				deltas, bytes = append(deltas, float64(zigzag(value))), bytes[length:]
			}
		}
		return nil
	})
	if len(spans) == 0 {
		return classic(bounds, append(counts, total-before)), err
	}
	buckets := map[int]float64{}
	count, at := 0.0, 0
	for _, span := range spans {
		index += span[0]
		for range span[1] {
			count += deltas[at]
			// A bucket of Prometheus with the index i ends at base^i.
			buckets[index-1] = count
			index, at = index+1, at+1
		}
	}
	return exponential(schema, zeroThreshold, zeroCount, buckets), err
}

func readOtlp(input, _ string) ([]slot, error) {
	type side struct {
		Offset       int
		BucketCounts []float64
	}
	type points struct {
		DataPoints []struct {
			ExplicitBounds []float64
			BucketCounts   []float64
			Scale          int
			ZeroCount      float64
			ZeroThreshold  float64
			Positive       side
		}
	}
	document := struct {
		ResourceMetrics []struct {
			ScopeMetrics []struct {
				Metrics []struct{ Histogram, ExponentialHistogram points }
			}
		}
	}{}
	if err := json.Unmarshal([]byte(input), &document); err != nil {
		return nil, err
	}
	metric := document.ResourceMetrics[0].ScopeMetrics[0].Metrics[0]
	if len(metric.Histogram.DataPoints) > 0 {
		point := metric.Histogram.DataPoints[0]
		return classic(point.ExplicitBounds, point.BucketCounts), nil
	}
	point := metric.ExponentialHistogram.DataPoints[0]
	buckets := map[int]float64{}
	for at, count := range point.Positive.BucketCounts {
		buckets[point.Positive.Offset+at] = count
	}
	return exponential(point.Scale, point.ZeroThreshold, point.ZeroCount, buckets), nil
}

var readers = map[string]func(input, writer string) ([]slot, error){
	"circllhist":          readCircllhist,
	"ddsketch":            readDdsketch,
	"ddsketch-binary":     readBlocks,
	"elasticsearch":       readElasticsearch,
	"otlp":                readOtlp,
	"prometheus-protobuf": readPrometheusProtobuf,
	"vmrange":             readVmrange,
}

func reply(line []byte) answer {
	q := question{}
	if err := json.Unmarshal(line, &q); err != nil {
		return answer{Error: err.Error()}
	}
	read, isKnown := readers[q.Form]
	if !isKnown {
		return answer{ID: q.ID, Unsupported: true}
	}
	slots, err := read(q.Input, q.Writer)
	if err != nil {
		return answer{ID: q.ID, Error: err.Error()}
	}
	return answer{ID: q.ID, Slots: slots}
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<26)
	out := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		_ = out.Encode(reply(lines.Bytes()))
	}
}
