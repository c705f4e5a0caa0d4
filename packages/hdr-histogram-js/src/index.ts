export { build } from './build.ts';
export type { BuildRequest } from './build-request.ts';
export { ByteBuffer } from './byte-buffer.ts';
export { decodeFromCompressedBase64, encodeIntoCompressedBase64 } from './encoding.ts';
export {
  type BitBucketSize,
  type Histogram,
  type HistogramConstructor,
  type HistogramSummary,
  NO_TAG,
  toSummary,
} from './histogram.ts';
export {
  HistogramIterationValue,
  JsHistogramIterator,
  PercentileIterator,
  RecordedValuesIterator,
} from './iterators.ts';
export {
  Float64Histogram,
  Int8Histogram,
  Int16Histogram,
  Int32Histogram,
  JsHistogram,
  PackedHistogram,
} from './js-histogram.ts';
export { HistogramLogReader, listTags } from './log-reader.ts';
export { HistogramLogWriter } from './log-writer.ts';
export { Recorder } from './recorder.ts';
export {
  initWebAssembly,
  initWebAssemblySync,
  WasmHistogram,
  webAssemblyAvailable,
  webAssemblyReady,
} from './wasm-histogram.ts';
