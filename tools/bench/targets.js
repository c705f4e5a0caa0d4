/**
 * The promises. They are ratios, because absolute times depend on the machine. Calls of the kernel, and the time that the
 * event loop of an application is blocked, have a budget.
 *
 * Every case of ours is compared with every peer of its group. An entry here adds a promise, or a comparison of two cases
 * of ours.
 */

/** @import { Target } from './types.js' */

/** @type {readonly Target[]} */
export const targets = [
  { group: 'record', ours: 'hdrscope dense', peer: 'hdr-histogram-js, 32 bit', atLeast: 20 },
  { group: 'record', ours: 'hdrscope dense', peer: 'hdr-histogram-js WASM, 32 bit', atLeast: 4.5 },
  { group: 'record', ours: 'hdrscope dense', peer: 'perf_hooks createHistogram', atLeast: 7 },
  { group: 'record', ours: 'hdrscope dense', peer: 'Java HdrHistogram', atMost: 1.3 },
  { group: 'record', ours: 'hdrscope sparse', peer: 'hdrscope dense', atMost: 1.6 },
  { group: 'record', ours: 'hdrscope shared, one writer', peer: 'hdrscope dense', atMost: 6 },
  {
    group: 'record-path',
    ours: 'hdrscope dense, from 2^31 to 2^53',
    peer: 'the same, below 2^31',
    atMost: 2,
  },
  { group: 'record-path', ours: 'hdrscope dense, all magnitudes', peer: 'the same, below 2^31', atMost: 2 },
  { group: 'percentile-wide', ours: 'hdrscope dense', peer: 'hdr-histogram-js, 32 bit', atLeast: 8 },
  { group: 'percentiles-ten', ours: 'hdrscope dense', peer: 'the median of hdrscope dense', atMost: 1.5 },
  { group: 'mean', ours: 'hdrscope dense', peer: 'hdr-histogram-js, 32 bit', atLeast: 100 },
  { group: 'standard-deviation', ours: 'hdrscope dense', peer: 'hdr-histogram-js, 32 bit', atLeast: 100 },
  { group: 'text', ours: 'hdrscope dense', peer: 'hdr-histogram-js, 32 bit', atLeast: 20 },
  { group: 'encode-raw', ours: 'hdrscope dense', peer: 'hdr-histogram-js, 32 bit', atLeast: 5 },
  { group: 'decode', ours: 'hdrscope dense', peer: 'hdr-histogram-js, 32 bit', atLeast: 2 },
  { group: 'add', ours: 'hdrscope dense', peer: 'hdr-histogram-js, 32 bit', atLeast: 2 },
  { group: 'sum-add', ours: 'hdrscope sum', peer: 'hdrscope dense', atMost: 1.03 },
  { group: 'sum-encoded', ours: 'hdrscope sum', peer: 'hdrscope dense', atMost: 1.03 },
  // The core's promises less a tenth, and a quarter for a record, which keeps exact bounds. That against WebAssembly is the core's.
  { group: 'drop-in-record', ours: 'hdrscope drop-in', peer: 'hdr-histogram-js', atLeast: 15 },
  {
    group: 'drop-in-record',
    ours: 'hdrscope drop-in, useWebAssembly',
    peer: 'hdr-histogram-js, useWebAssembly',
    atLeast: 4.5,
  },
  { group: 'drop-in-mean', ours: 'hdrscope drop-in', peer: 'hdr-histogram-js', atLeast: 90 },
  { group: 'drop-in-decode', ours: 'hdrscope drop-in', peer: 'hdr-histogram-js', atLeast: 1.8 },
  { group: 'drop-in-add', ours: 'hdrscope drop-in', peer: 'hdr-histogram-js', atLeast: 1.8 },
  { group: 'drop-in-require', ours: 'hdrscope drop-in', limit: 15e6 },
  { group: 'memory', ours: 'hdrscope sparse', limit: 80_000 },
  { group: 'memory-two-digits', ours: 'hdrscope sparse', limit: 14_000 },
  // Not zero, because reading the size of the heap moves it by a few bytes per hundred thousand records.
  { group: 'allocation', ours: 'hdrscope dense', limit: 0.01 },
  { group: 'allocation', ours: 'hdrscope sparse', limit: 0.01 },
  { group: 'allocation', ours: 'hdrscope dense, all magnitudes', limit: 0.01 },
  { group: 'memory-series', ours: 'hdrscope series', limit: 6000 },
  { group: 'otel-plain', ours: 'hdrscope view', peer: 'SDK explicit buckets', atLeast: 5 },
  { group: 'otel-shared', ours: 'hdrscope view', peer: 'SDK explicit buckets', atLeast: 12 },
  { group: 'otel-fresh', ours: 'hdrscope view', peer: 'SDK explicit buckets', atLeast: 8 },
  { group: 'otel-bind', ours: 'hdrscope bound', peer: 'a bare sparse histogram', atMost: 2 },
  { group: 'collect-unchanged', ours: 'hdrscope view', peer: 'SDK explicit buckets', atMost: 1 },
  { group: 'collect-some', ours: 'hdrscope view', peer: 'SDK explicit buckets', atMost: 1.5 },
  { group: 'collect-all', ours: 'hdrscope view', peer: 'SDK exponential', atLeast: 2.5 },
  { group: 'collect-thousand', ours: 'hdrscope view', peer: 'SDK exponential', atLeast: 2.5 },
  { group: 'collect-thousand', ours: 'hdrscope view, 3 digits', peer: 'SDK exponential', atMost: 1 },
  { group: 'collect-delta', ours: 'hdrscope view', peer: 'SDK explicit buckets', atMost: 1 },
  {
    group: 'collect-scrape',
    ours: 'hdrscope exporter, native buckets',
    peer: 'exporter-prometheus, 15 buckets',
    atLeast: 20,
  },
  { group: 'collect-block', ours: 'hdrscope view', limit: 10e6 },
  { group: 'collect-block-scrape', ours: 'hdrscope exporter', limit: 10e6 },
  { group: 'collect-block-100k', ours: 'hdrscope view', limit: 10e6 },
  { group: 'collect-block-scrape-100k', ours: 'hdrscope exporter', limit: 10e6 },
  { group: 'collect-memory', ours: 'hdrscope view', limit: 2500 },
  { group: 'collect-memory-readers', ours: 'hdrscope view', limit: 3200 },
  { group: 'collect-workers', ours: 'hdrscope', limit: 40e6 },
  {
    group: 'prometheus-render',
    ours: 'hdrscope protobuf, native buckets',
    peer: 'exporter-prometheus text, 15 buckets',
    atLeast: 3,
  },
  {
    group: 'prometheus-bytes',
    ours: 'hdrscope protobuf, native buckets',
    peer: 'exporter-prometheus text, 15 buckets',
    atMost: 0.5,
  },
  { group: 'prometheus-ways', ours: 'hdrscope OpenMetrics 2.0', peer: 'hdrscope protobuf', atMost: 1.5 },
  { group: 'prometheus-ways', ours: 'hdrscope remote write 2.0', peer: 'hdrscope protobuf', atMost: 2 },
  { group: 'log-read', ours: 'hdrscope reader', peer: 'hdr-histogram-js reader, 32 bit', atLeast: 5 },
  { group: 'log-process', ours: 'hdrscope log process', peer: 'Java HistogramLogProcessor', atMost: 1 },
  { group: 'record-text', ours: 'hdrscope record', peer: 'awk, which adds them up', atMost: 1 },
  {
    group: 'record-text-decimals',
    ours: 'hdrscope record',
    peer: 'awk, which adds them up',
    atMost: 1,
  },
  // The young generation of V8 grows with what survives its collections, and lines are read one at a time.
  { group: 'log-memory', ours: 'hdrscope, log of 1 GB', peer: 'hdrscope, log of 100 MB', atMost: 1.25 },
  { group: 'ebpf-read', ours: 'hdrscope batch', peer: 'bpftool and JSON.parse', atLeast: 20 },
  { group: 'ebpf-read', ours: 'hdrscope batch', limit: 250_000 },
  { group: 'ebpf-struct', ours: 'hdrscope batch', peer: 'bpftool and JSON.parse', atLeast: 200 },
  { group: 'ebpf-struct', ours: 'hdrscope batch', limit: 10_000 },
  { group: 'ceph-record', ours: 'hdrscope, 32 x 32', peer: 'the same, one axis', atMost: 3 },
  {
    group: 'joint-record',
    ours: 'a joint histogram',
    peer: 'two histograms, which know nothing of each other',
    atMost: 2,
  },
  { group: 'ceph-dump', ours: 'hdrscope', limit: 10e6 },
  { group: 'ceph-parse', ours: 'hdrscope', peer: 'JSON.parse', atMost: 4 },
  { group: 'history-bytes-40', ours: 'hdrscope, as written', limit: 40 },
  { group: 'history-bytes-40', ours: 'hdrscope, compacted', limit: 40 },
  { group: 'history-ask', ours: 'hdrscope, compacted', limit: 190e6 },
];
