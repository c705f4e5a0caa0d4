export type { ArrayField, Field, FieldType, IntegerType } from './bpf/fields.ts';
export {
  type CpuCounts,
  countsOfCpus,
  type KernelCounts,
  type KernelTotals,
  sumOfCpus,
} from './cpu-counts.ts';
export { examineKernel } from './doctor/examine.ts';
export type { Finding } from './doctor/findings.ts';
export type { KernelErrorCode, KernelErrorDetails } from './errors.ts';
export {
  type ExporterConfigOptions,
  type ExporterHistogram,
  parseEbpfExporterConfig,
  readEbpfExporterConfig,
} from './exporter-config/config.ts';
export { type KernelFamilyOptions, kernelMetricName } from './families.ts';
export { type KernelIncrease, KernelIncreases } from './increases.ts';
export { type IngestKernelOptions, ingestKernel, type KernelHealth, type KernelIngestion } from './ingest.ts';
export { KERNEL_LAYOUT_SYNTAX, parseKernelLayout } from './layout/by-name.ts';
export {
  type ExporterKeyRange,
  exporterExp2Layout,
  exporterExp2ZeroLayout,
  exporterFixedLayout,
  exporterLinearLayout,
} from './layout/exporter-layouts.ts';
export { explicitKernelLayout, type KernelLayout, type KernelLayoutOptions } from './layout/kernel-layout.ts';
export {
  type BpftraceLhistOptions,
  bccLayout,
  bpftraceHistLayout,
  bpftraceLhistLayout,
  inspektorGadgetLayout,
  libbpfToolsLayout,
  logLinear8Layout,
  queueDepthLayout,
} from './layout/presets.ts';
export { listMaps, type MapList, newestMapId, type VisibleMap } from './list-maps.ts';
export { type KernelQuantileOptions, kernelQuantile, kernelQuantiles } from './quantile.ts';
export { type BpftoolMapOptions, bpftoolMap } from './source/bpftool.ts';
export { type BpftraceOptions, type BpftraceSource, bpftrace } from './source/bpftrace.ts';
export { type IteratorFileOptions, iteratorFile } from './source/iterator-file.ts';
export { type KernelMapOptions, kernelMap } from './source/kernel-map.ts';
export type { CountsField, MapShape } from './source/kernel-map-shape.ts';
export type { KnownLayout, LayoutGuess } from './source/map-layout.ts';
export { MAP_SHAPE_SYNTAX, parseMapShape } from './source/shape-text.ts';
export {
  type Frame,
  framesSource,
  type HistogramMetric,
  type KernelHistogram,
  type KernelSource,
} from './source/source.ts';
export {
  formatKernelBars,
  formatKernelHistogram,
  type KernelBarsOptions,
  type KernelTextOptions,
  type ShownSlots,
} from './text.ts';
