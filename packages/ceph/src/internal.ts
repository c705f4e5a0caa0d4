// Entry `@hdrscope/ceph/internal`: for the other packages of hdrscope only. Names here may change in any release.
export { type AxisFacts, type Bounds, countValues, measureAxis } from './cluster/axis-facts.ts';
export {
  type LatencyFigures,
  type OperationFigures,
  type SizeFigures,
  summarizeOperations,
} from './cluster/operations.ts';
export { CEPH_RELEASES } from './dump/loggers.ts';
export { axisNames, findAxis } from './histogram/axis.ts';
export { socketsIn } from './importer/daemons.ts';
export { toJsonText } from './json-text.ts';
