// Entry `@hdrscope/ebpf/internal`: for the other packages of hdrscope only. Names here may change in any release.
export { createMap } from './bpf/maps.ts';
export { keptName } from './bpf/memory.ts';
export { enableStatistics, testRun } from './bpf/programs.ts';
export { type Koffi, loadBpf, loadKoffi, type NativeFunction } from './bpf/syscall.ts';
export type { CpuCounts } from './cpu-counts.ts';
export {
  findCountedUnit,
  findMapHistogram,
  listMapHistograms,
} from './exporter-config/find-histogram.ts';
export { type KernelFamilyOptions, kernelMetricName } from './families.ts';
export { watchHost } from './follow-host.ts';
export { FollowedMap, type TimedIncreases, watchMap } from './follow-map.ts';
export {
  findMapId,
  type HostMap,
  HostMaps,
  type HostMapsAccess,
  type MapPlace,
  mapIdsOfScripts,
  parseMapPlace,
} from './host-maps.ts';
export { type KernelIncrease, KernelIncreases } from './increases.ts';
export { KERNEL_LAYOUT_SYNTAX } from './layout/by-name.ts';
export { hasSameSlots } from './layout/kernel-layout.ts';
export { newestMapId, type VisibleMap, visibleMapIds } from './list-maps.ts';
export { loadConfigured } from './loader/load-program.ts';
export type { ProgramCost } from './loader/program-source.ts';
export { KERNEL_PROGRAMS } from './loader/programs.ts';
export { listNamed, mergeNamed, type NamedCounts, sumNamed } from './named-counts.ts';
export { kernelQuantiles } from './quantile.ts';
export { MAP_SHAPE_SYNTAX } from './source/map-shape.ts';
export type { HistogramMetric } from './source/source.ts';
export { mergeToOctaves } from './text.ts';
