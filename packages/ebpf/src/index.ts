export { type KernelCounts, type KernelTotals, listCpuCounts, sumCpus } from './cpu-counts.ts';
export { examineKernel } from './doctor/examine.ts';
export type { Finding } from './doctor/findings.ts';
export type { KernelErrorCode, KernelErrorDetails } from './errors.ts';
export {
  type ExporterHistogram,
  parseEbpfExporterConfig,
  readEbpfExporterConfig,
} from './exporter-config/config.ts';
export { type IngestKernelOptions, ingestKernel, type KernelIngestion } from './ingest.ts';
export { parseKernelLayout } from './layout/by-name.ts';
export {
  exporterExp2Layout,
  exporterExp2ZeroLayout,
  exporterFixedLayout,
  exporterLinearLayout,
} from './layout/exporter-layouts.ts';
export { explicitKernelLayout, type KernelLayout } from './layout/kernel-layout.ts';
export {
  bccLayout,
  bpftraceHistLayout,
  bpftraceLhistLayout,
  inspektorGadgetLayout,
  libbpfToolsLayout,
  logLinear8Layout,
  queueDepthLayout,
} from './layout/presets.ts';
export { listMaps, type MapList } from './list-maps.ts';
export { kernelQuantile } from './quantile.ts';
export { bpftoolMap } from './source/bpftool.ts';
export { type BpftraceSource, bpftrace } from './source/bpftrace.ts';
export { iteratorFile } from './source/iterator-file.ts';
export { type KernelMapOptions, kernelMap } from './source/kernel-map.ts';
export { type MapShape, parseMapShape } from './source/map-shape.ts';
export { type Frame, framesSource, type KernelHistogram, type KernelSource } from './source/source.ts';
export { formatKernelBars, formatKernelHistogram } from './text.ts';
