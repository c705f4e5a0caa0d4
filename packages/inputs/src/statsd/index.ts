// Entry `@hdrscope/inputs/statsd`: packets of StatsD and DogStatsD.
export type { StatsdMetric, StatsdOther, StatsdType } from './metric.ts';
export { readStatsd, type StatsdPacket, type StatsdValues } from './read-statsd.ts';
export { createStatsdReader, type StatsdHealth, type StatsdReader, type StatsdSink } from './reader.ts';
