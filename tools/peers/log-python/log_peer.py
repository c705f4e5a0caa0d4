"""Reads and writes interval logs with the hdrhistogram package. The protocol is that of tools/peers/README.md."""

import sys

from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogReader, HistogramLogWriter


def read(name):
    reader = HistogramLogReader(name, HdrHistogram(1, 2**53, 3))
    while True:
        histogram = reader.get_next_interval_histogram()
        if histogram is None:
            return
        percentiles = [histogram.get_value_at_percentile(p) for p in (50, 90, 99, 99.9)]
        times = [round(histogram.get_start_time_stamp()), round(histogram.get_end_time_stamp())]
        numbers = [*times, histogram.get_total_count(), *percentiles, histogram.get_max_value()]
        print(histogram.get_tag() or "-", *numbers, sep="\t")


def write(name):
    """This writer knows no tags, and its start time line cannot be written: the date in it is a method that is not there."""
    with open(name, "w", encoding="utf-8") as file:
        writer = HistogramLogWriter(file)
        base_ms = None
        for line in sys.stdin:
            _, start, end, digits, highest, values = line.rstrip("\n").split("\t")
            if base_ms is None:
                base_ms = int(start)
                writer.output_comment("written by the hdrhistogram package")
                writer.output_log_format_version()
                writer.output_base_time(base_ms)
                writer.output_legend()
            histogram = HdrHistogram(1, int(highest), int(digits))
            for value in values.split(" "):
                histogram.record_value(int(value))
            # A start of 0 would be taken for none.
            histogram.set_start_time_stamp(int(start) - base_ms)
            histogram.set_end_time_stamp(int(end) - base_ms)
            writer.output_interval_histogram(histogram)


{"read": read, "write": write}[sys.argv[1]](sys.argv[2])
