// Makes and reads DDSketches with sketches-go, and makes other sketches that have a library in Go. Each line of standard input is a request in JSON, and each line of output its answer:
//
//	{"do": "make", "mapping": "NONE", "store": "sparse", "accuracy": 0.01, "values": [[VALUE, COUNT], …], "quantiles": [0.5]}
//	{"do": "read", "bytes": BASE64, "encoding": "binary", "quantiles": [0.5]}; bytes of protobuf without the encoding
//	{"do": "circllhist", "values": [[VALUE, COUNT], …]}, "vmrange" and "base64": the answer has a text in place of Base64
//
// An answer has the protobuf in Base64, the binary encoding, the slots as [lower bound, upper bound, count], and quantiles.
package main

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"sort"

	"github.com/DataDog/sketches-go/ddsketch"
	"github.com/DataDog/sketches-go/ddsketch/mapping"
	"github.com/DataDog/sketches-go/ddsketch/pb/sketchpb"
	"github.com/DataDog/sketches-go/ddsketch/store"
	"google.golang.org/protobuf/proto"
)

type request struct {
	Do        string       `json:"do"`
	Mapping   string       `json:"mapping"`
	Store     string       `json:"store"`
	Accuracy  float64      `json:"accuracy"`
	Values    [][2]float64 `json:"values"`
	Bytes     string       `json:"bytes"`
	Encoding  string       `json:"encoding"`
	Quantiles []float64    `json:"quantiles"`
}

type answer struct {
	Bytes     string       `json:"bytes"`
	Encoded   string       `json:"encoded"`
	Slots     [][3]float64 `json:"slots"`
	Quantiles []float64    `json:"quantiles"`
}

func makeMapping(name string, accuracy float64) (mapping.IndexMapping, error) {
	switch name {
	case "NONE":
		return mapping.NewLogarithmicMapping(accuracy)
	case "LINEAR":
		return mapping.NewLinearlyInterpolatedMapping(accuracy)
	case "CUBIC":
		return mapping.NewCubicallyInterpolatedMapping(accuracy)
	}
	return nil, fmt.Errorf("there is no mapping %s", name)
}

func makeStore(name string) store.Store {
	switch name {
	case "sparse":
		return store.NewSparseStore()
	case "collapsing":
		return store.NewCollapsingLowestDenseStore(64)
	case "paginated":
		return store.NewBufferedPaginatedStore()
	}
	return store.NewDenseStore()
}

func slotsOf(sketch *ddsketch.DDSketch) [][3]float64 {
	slots := [][3]float64{}
	if zero := sketch.GetZeroCount(); zero > 0 {
		bound := sketch.IndexMapping.MinIndexableValue()
		slots = append(slots, [3]float64{-bound, bound, zero})
	}
	sketch.GetPositiveValueStore().ForEach(func(index int, count float64) bool {
		slots = append(slots, [3]float64{sketch.LowerBound(index), sketch.LowerBound(index + 1), count})
		return false
	})
	sketch.GetNegativeValueStore().ForEach(func(index int, count float64) bool {
		slots = append(slots, [3]float64{-sketch.LowerBound(index + 1), -sketch.LowerBound(index), count})
		return false
	})
	sort.Slice(slots, func(a, b int) bool { return slots[a][0] < slots[b][0] })
	return slots
}

func makeSketch(r request) (*ddsketch.DDSketch, error) {
	if r.Do == "read" {
		bytes, err := base64.StdEncoding.DecodeString(r.Bytes)
		if err != nil {
			return nil, err
		}
		if r.Encoding == "binary" {
			return ddsketch.DecodeDDSketch(bytes, store.DefaultProvider, nil)
		}
		message := sketchpb.DDSketch{}
		if err := proto.Unmarshal(bytes, &message); err != nil {
			return nil, err
		}
		return ddsketch.FromProto(&message)
	}
	found, err := makeMapping(r.Mapping, r.Accuracy)
	if err != nil {
		return nil, err
	}
	sketch := ddsketch.NewDDSketch(found, makeStore(r.Store), makeStore(r.Store))
	for _, value := range r.Values {
		if err := sketch.AddWithCount(value[0], value[1]); err != nil {
			return nil, err
		}
	}
	return sketch, nil
}

func reply(line []byte) (answer, error) {
	r := request{}
	if err := json.Unmarshal(line, &r); err != nil {
		return answer{}, err
	}
	switch r.Do {
	case "circllhist":
		return makeCircllhist(r.Values)
	case "base64":
		return makeHdr(r.Values)
	case "vmrange":
		return makeVmranges(r.Values)
	}
	sketch, err := makeSketch(r)
	if err != nil {
		return answer{}, err
	}
	bytes, err := proto.MarshalOptions{Deterministic: true}.Marshal(sketch.ToProto())
	if err != nil {
		return answer{}, err
	}
	quantiles, err := sketch.GetValuesAtQuantiles(r.Quantiles)
	if err != nil {
		return answer{}, err
	}
	encoded := []byte{}
	sketch.Encode(&encoded, false)
	text := base64.StdEncoding.EncodeToString
	return answer{text(bytes), text(encoded), slotsOf(sketch), quantiles}, nil
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<26)
	out := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		found, err := reply(lines.Bytes())
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		_ = out.Encode(found)
	}
}
