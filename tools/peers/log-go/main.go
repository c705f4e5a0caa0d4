// Reads and writes interval logs with hdrhistogram-go. The protocol is that of tools/peers/README.md.
package main

import (
	"bufio"
	"fmt"
	"log"
	"os"
	"strconv"
	"strings"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: log-peer read|write FILE")
	}
	switch os.Args[1] {
	case "read":
		read(os.Args[2])
	case "write":
		write(os.Args[2])
	default:
		log.Fatal("usage: log-peer read|write FILE")
	}
}

func read(name string) {
	file, err := os.Open(name)
	check(err)
	reader := hdr.NewHistogramLogReader(file)
	for {
		histogram, err := reader.NextIntervalHistogram()
		check(err)
		if histogram == nil {
			return
		}
		tag := histogram.Tag()
		if tag == "" {
			tag = "-"
		}
		fmt.Printf("%s\t%d\t%d\t%d", tag, histogram.StartTimeMs(), histogram.EndTimeMs(), histogram.TotalCount())
		for _, percentile := range []float64{50, 90, 99, 99.9} {
			fmt.Printf("\t%d", histogram.ValueAtQuantile(percentile))
		}
		fmt.Printf("\t%d\n", histogram.Max())
	}
}

func write(name string) {
	file, err := os.Create(name)
	check(err)
	writer := hdr.NewHistogramLogWriter(file)
	input := bufio.NewScanner(os.Stdin)
	input.Buffer(nil, 1<<26)
	isFirst := true
	for input.Scan() {
		fields := strings.Split(input.Text(), "\t")
		start, end := number(fields[1]), number(fields[2])
		if isFirst {
			check(writer.OutputComment("written by hdrhistogram-go"))
			check(writer.OutputLogFormatVersion())
			check(writer.OutputStartTime(start))
			check(writer.OutputBaseTime(start))
			writer.SetBaseTime(start)
			check(writer.OutputLegend())
			isFirst = false
		}
		histogram := hdr.New(1, number(fields[4]), int(number(fields[3])))
		for _, value := range strings.Split(fields[5], " ") {
			check(histogram.RecordValue(number(value)))
		}
		histogram.SetStartTimeMs(start)
		histogram.SetEndTimeMs(end)
		if fields[0] != "-" {
			histogram.SetTag(fields[0])
		}
		check(writer.OutputIntervalHistogram(histogram))
	}
	check(input.Err())
	check(file.Close())
}

func number(text string) int64 {
	value, err := strconv.ParseInt(text, 10, 64)
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
