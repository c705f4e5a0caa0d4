/** A reader of OpenTelemetry that collects deltas, and adds them up. */
import { AggregationTemporality, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { seriesCount, seriesOf } from './load.js';

/** @import { ExponentialHistogramMetricData, PushMetricExporter } from '@opentelemetry/sdk-metrics' */
/** @import { Output } from './soak.js' */

/** @param {number} everyMs */
export function deltaReader(everyMs) {
  /** @type {Output} */
  const output = { counts: new Float64Array(seriesCount), times: [] };
  /** @type {PushMetricExporter} */
  const exporter = {
    export({ scopeMetrics }, done) {
      output.times.push(Date.now());
      for (const metric of scopeMetrics.flatMap(({ metrics }) => metrics)) {
        add(output.counts, /** @type {ExponentialHistogramMetricData} */ (metric));
      }
      // 0 is success: `ExportResultCode` of @opentelemetry/core.
      done({ code: 0 });
    },
    selectAggregationTemporality: () => AggregationTemporality.DELTA,
    async forceFlush() {},
    async shutdown() {},
  };
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: everyMs });
  return { everyMs, reader, output };
}

/**
 * @param {Float64Array} counts by series
 * @param {ExponentialHistogramMetricData} metric
 */
function add(counts, { dataPoints }) {
  for (const { attributes, value } of dataPoints) {
    const series = seriesOf(attributes);
    const { zeroCount, positive } = value;
    const count = positive.bucketCounts.reduce((sum, one) => sum + one, zeroCount);
    counts[series] = /** @type {number} */ (counts[series]) + count;
  }
}
