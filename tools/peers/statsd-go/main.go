// Sends values with datadog-go. The protocol is that of tools/peers/README.md.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"os"

	"github.com/DataDog/datadog-go/v5/statsd"
)

type request struct {
	Target struct {
		Host string `json:"host"`
		Port int    `json:"port"`
		Path string `json:"path"`
	} `json:"target"`
	IsPlain bool                 `json:"isPlain"`
	Tags    map[string]string    `json:"tags"`
	Values  map[string][]float64 `json:"values"`
}

func main() {
	var asked request
	if err := json.NewDecoder(os.Stdin).Decode(&asked); err != nil {
		log.Fatal(err)
	}
	address := fmt.Sprintf("%s:%d", asked.Target.Host, asked.Target.Port)
	if asked.Target.Path != "" {
		address = "unix://" + asked.Target.Path
	}
	options := []statsd.Option{statsd.WithoutTelemetry(), statsd.WithoutClientSideAggregation()}
	if !asked.IsPlain {
		// Several values come on a line.
		options = []statsd.Option{statsd.WithoutTelemetry(), statsd.WithExtendedClientSideAggregation()}
	}
	client, err := statsd.New(address, options...)
	if err != nil {
		log.Fatal(err)
	}
	tags := []string{}
	for key, value := range asked.Tags {
		tags = append(tags, key+":"+value)
	}
	send := map[string]func(string, float64, []string, float64) error{
		"ms": client.TimeInMilliseconds, "h": client.Histogram, "d": client.Distribution,
	}
	for kind, values := range asked.Values {
		for _, value := range values {
			if err := send[kind]("go."+kind, value, tags, 1); err != nil {
				log.Fatal(err)
			}
		}
	}
	if err := client.Close(); err != nil {
		log.Fatal(err)
	}
}
