export type { ArrayField, Field, FieldType, IntegerType } from './bpf/fields.ts';
export {
  type CpuCounts,
  countsOfCpus,
  type KernelCounts,
  type KernelTotals,
  sumOfCpus,
} from './cpu-counts.ts';
export { examineKernel } from './doctor/examine.ts';
export type { Finding } from './doctor/finding.ts';
export type { KernelErrorCode, KernelErrorDetails } from './errors.ts';
export {
  type ExporterConfigOptions,
  type ExporterHistogram,
  parseEbpfExporterConfig,
} from './exporter-config/parse-config.ts';
export { readEbpfExporterConfig } from './exporter-config/read-config.ts';
export { type KernelIncrease, KernelIncreases } from './increases.ts';
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
export { listMaps, type MapList, type VisibleMap } from './list-maps.ts';
export { kernelMetricName } from './metric-text.ts';
export { newestMapId } from './newest-map.ts';
export { type KernelQuantileOptions, kernelQuantile, kernelQuantiles } from './quantile.ts';
export type { KernelFamilyOptions } from './readings.ts';
export {
  type IngestKernelOptions,
  ingestKernel,
  type KernelHealth,
  type KernelIngestion,
} from './registry-source.ts';
export { type BpftoolMapOptions, bpftoolMap } from './source/bpftool.ts';
export { type BpftraceOptions, type BpftraceSource, bpftrace } from './source/bpftrace.ts';
export { framesSource } from './source/frames.ts';
export { type IteratorFileOptions, iteratorFile } from './source/iterator-file.ts';
export { type KernelMapOptions, kernelMap } from './source/kernel-map.ts';
export type { CountsField, MapShape } from './source/kernel-map-shape.ts';
export type { KnownLayout, LayoutGuess } from './source/map-layout.ts';
export { MAP_SHAPE_SYNTAX, parseMapShape } from './source/shape-text.ts';
export type { Frame, HistogramMetric, KernelHistogram, KernelSource } from './source/source.ts';
export { formatKernelBars, type KernelBarsOptions } from './text/bars.ts';
export type { ShownSlots } from './text/slot-label.ts';
export { formatKernelHistogram, type KernelTextOptions } from './text/text.ts';
