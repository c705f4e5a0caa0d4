import { convertResourceMetrics, HdrPrometheusExporter, render } from '@hdrscope/prometheus';

/**
 * @typedef {import('@opentelemetry/sdk-metrics').ResourceMetrics} ResourceMetrics
 * @typedef {ResourceMetrics['scopeMetrics'][number]} ScopeMetrics
 * @typedef {ScopeMetrics['metrics'][number]} Metric
 * @typedef {new (...options: unknown[]) => object} Constructor
 */

/** The stock exporter's names. */
const NAMES = /** @type {const} */ ({ translationStrategy: 'UnderscoreEscapingWithoutUnits' });

/**
 * The exporter, and a serializer whose methods write with `render`. Its tests call private methods, with the labels of the
 * resource and the scope as their last argument.
 *
 * @param {{ PrometheusSerializer: Constructor }} stock
 */
export default function shim(stock) {
  class PrometheusSerializer extends stock.PrometheusSerializer {
    /** @param {[string?, boolean?, RegExp?, boolean?, boolean?]} options */
    constructor(...options) {
      super(...options);
      const [prefix, appendTimestamp, withResourceConstantLabels, withoutTargetInfo, withoutScopeInfo] =
        options;
      this.options = {
        prefix,
        appendTimestamp,
        withResourceConstantLabels,
        withoutTargetInfo,
        withoutScopeInfo,
      };
    }

    /** @param {ResourceMetrics} resourceMetrics */
    serialize(resourceMetrics) {
      return textOf(resourceMetrics, this.options);
    }

    /** @param {ResourceMetrics['resource']} resource */
    _serializeResource(resource) {
      return textOf({ resource, scopeMetrics: [] }, this.options);
    }

    /** @param {ScopeMetrics} scopeMetrics */
    _serializeScopeMetrics(scopeMetrics) {
      const attributes = Reflect.get(this, '_additionalAttributes') ?? {};
      const resource = /** @type {ResourceMetrics['resource']} */ ({ attributes });
      return textOf({ resource, scopeMetrics: [scopeMetrics] }, { ...this.options, withoutTargetInfo: true });
    }

    /**
     * @param {string} name
     * @param {Metric} metric
     * @param {Metric['dataPoints'][number]} point
     * @param {import('@opentelemetry/api').Attributes} [labels]
     */
    _serializeSingularDataPoint(name, metric, point, labels = {}) {
      const scope = { name: '' };
      const one = /** @type {Metric} */ ({
        ...metric,
        descriptor: { ...metric.descriptor, name },
        dataPoints: [point],
      });
      const resource = /** @type {ResourceMetrics['resource']} */ ({ attributes: labels });
      const scopeMetrics = [{ scope, metrics: [one] }];
      const { appendTimestamp } = this.options;
      const all = {
        appendTimestamp,
        withResourceConstantLabels: /.*/,
        withoutTargetInfo: true,
        withoutScopeInfo: true,
      };
      return textOf({ resource, scopeMetrics }, all).replace(/^#.*\n/gm, '');
    }

    /** @param {Parameters<PrometheusSerializer['_serializeSingularDataPoint']>} args */
    _serializeHistogramDataPoint(...args) {
      return this._serializeSingularDataPoint(...args);
    }
  }
  class PrometheusExporter extends HdrPrometheusExporter {
    /** @param {ConstructorParameters<typeof HdrPrometheusExporter>} args */
    constructor(...[options, callback]) {
      super({ ...NAMES, ...options }, callback);
    }
  }
  return { ...stock, PrometheusExporter, PrometheusSerializer };
}

/**
 * @param {ResourceMetrics} resourceMetrics
 * @param {import('@hdrscope/prometheus/internal').ResourceMetricsOptions} options
 */
function textOf(resourceMetrics, options) {
  return new TextDecoder().decode(
    render(convertResourceMetrics(resourceMetrics, { ...NAMES, ...options }), 'text'),
  );
}
