/** What the services of several processes count, with OpenTelemetry and with prom-client or its successor, if PROM_CLIENT names one. */
const { metrics } = require('@opentelemetry/api');

const meter = metrics.getMeter('shop');
const sizes = meter.createHistogram('basket.size');
const orders = meter.createCounter('orders');

exports.meter = meter;
exports.count = (size) => {
  sizes.record(size);
  orders.add(1);
  countWithProm(size);
};

const { PROM_CLIENT } = process.env;
const countWithProm = PROM_CLIENT === undefined ? () => {} : promCounters(require(PROM_CLIENT));

function promCounters({ Counter, Gauge, Histogram, Registry, Summary, collectDefaultMetrics, register }) {
  collectDefaultMetrics();
  const registers = [new Registry()];
  const jobs = new Counter({ name: 'jobs_total', help: 'Jobs', labelNames: ['parity'] });
  const weights = new Histogram({ name: 'weights', help: 'Weights', buckets: [10, 20, 30, 40], registers });
  const waits = new Summary({ name: 'waits', help: 'Waits', percentiles: [0.5] });
  for (const aggregator of ['sum', 'max', 'average'])
    new Gauge({ name: `level_${aggregator}`, help: 'A level', aggregator }).set(3);
  // OpenTelemetry has one of this name.
  new Counter({ name: 'orders_total', help: 'Orders' });
  // As a service with an endpoint of its own.
  setInterval(() => Registry.merge([register, ...registers]).metrics(), 200).unref();
  return (size) => {
    jobs.inc({ parity: size % 2 === 0 ? 'even' : 'odd' });
    weights.observe(size);
    waits.observe(size);
  };
}
