import type { Axis } from '../../src/index.ts';

export const LATENCY: Axis = {
  name: 'Latency (usec)',
  scale: 'log2',
  min: 0,
  quantSize: 100_000,
  buckets: 32,
  unit: 'ns',
};
export const SIZE: Axis = {
  name: 'Request size (bytes)',
  scale: 'log2',
  min: 0,
  quantSize: 512,
  buckets: 32,
  unit: 'bytes',
};
