export type {
  ClassicBuckets,
  Exemplar,
  HistogramValue,
  Metric,
  MetricFamily,
  MetricType,
  NativeBuckets,
  NumberValue,
} from './families.ts';
