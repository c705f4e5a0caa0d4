// Entry `@hdrscope/ceph/internal`: for the other packages of hdrscope only. Names here may change in any release.
export { type AxisFacts, type Bounds, countValues, measureAxis } from './cluster/axis-facts.ts';
export type { ClusterInterval } from './cluster/follow.ts';
export {
  bySlowness,
  type DaemonFigures,
  type LatencyFigures,
  type OperationFigures,
  type SizeFigures,
  summarizeOperations,
} from './cluster/operations.ts';
export {
  type SourcedHistogram,
  type SourcedIncrease,
  watchDaemons,
  withSource,
} from './cluster/watch-daemons.ts';
export type { CephFormat } from './dump/format.ts';
export { CEPH_RELEASES } from './dump/loggers.ts';
export { axisNames, axisTitle, findAxis } from './histogram/axis.ts';
export { daemonName, socketsIn } from './importer/daemons.ts';
export { histogramKey } from './importer/increase.ts';
export type { ImportedAverage } from './importer/parse-counters.ts';
export type { ParseDumpOptions } from './importer/parse-dump.ts';
export type { DaemonAnswer } from './importer/questions.ts';
export type { UnitOverrides } from './importer/read-axis.ts';
export { toJsonText } from './json-text.ts';
