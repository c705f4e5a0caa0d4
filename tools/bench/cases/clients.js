/** The official clients of Prometheus: the same observations, and the page of the same series. */
import { loadClient } from '../clients.js';
import { feed } from '../loops.js';
import { latencies, seconds } from '../values.js';

/** @import { ClientName } from '../clients.js' */
/** @import { Group, Setup, Timed } from '../types.js' */

const name = 'http_server_request_duration_seconds';
/** The boundaries that the semantic conventions advise for durations in seconds. */
const boundaries = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
const labelNames = ['method', 'route', 'status'];

/** @param {number} status */
const labelsOf = (status) => ({ method: 'GET', route: '/users/:id', status });

/** @param {ClientName} clientName */
function clientHistogram(clientName) {
  const { Histogram, Registry } = loadClient(clientName);
  const register = new Registry();
  const facts = { name, help: 'Durations', labelNames, buckets: boundaries, registers: [register] };
  return { register, histogram: new Histogram(facts) };
}

async function family(options = {}) {
  const { createRegistry } = await import('@hdrscope/registry');
  const registry = createRegistry();
  return { registry, family: registry.histogram({ name, unit: 's', boundaries, ...options }) };
}

/**
 * @param {(value: number) => void} operation
 * @returns {Timed}
 */
function recording(operation) {
  return { run: feed(seconds(), operation, () => 0).run };
}

/** @type {Record<string, Setup>} */
const observations = {
  hdrscope: async () => {
    const durations = (await family()).family;
    return recording((value) => durations.with(labelsOf(200)).record(value));
  },
  ...Object.fromEntries(
    /** @type {const} */ (['prom-client', '@prometheus-io/client']).map((clientName) => [
      clientName,
      () => {
        const { histogram } = clientHistogram(clientName);
        return recording((value) => histogram.observe(labelsOf(200), value));
      },
    ]),
  ),
};

/** @type {Record<string, Setup>} */
const keptSeries = {
  hdrscope: async () => {
    const series = (await family()).family.with(labelsOf(200));
    return recording((value) => series.record(value));
  },
  ...Object.fromEntries(
    /** @type {const} */ (['prom-client', '@prometheus-io/client']).map((clientName) => [
      clientName,
      () => {
        const { histogram } = clientHistogram(clientName);
        const child = histogram.labels(labelsOf(200));
        return recording((value) => child.observe(value));
      },
    ]),
  ),
};

const seriesCount = 1000;
const recordsPerSeries = 200;

/** @param {(labels: ReturnType<typeof labelsOf>, value: number) => void} record */
function recordEverywhere(record) {
  const values = latencies(seriesCount * recordsPerSeries);
  for (const [i, value] of values.entries()) record(labelsOf(i % seriesCount), value / 1e9);
}

/**
 * The time until a page is there. Its answer is the number of lines with buckets.
 *
 * @param {() => Promise<string | Uint8Array>} makePage
 * @returns {Timed}
 */
function paging(makePage) {
  /** @type {string | Uint8Array} */
  let page = '';
  return {
    async run(iterations) {
      for (let i = 0; i < iterations; i++) page = await makePage();
    },
    answer: () => Buffer.from(page).toString().split('_bucket{').length - 1,
  };
}

/** @type {(clientName: ClientName) => Setup} */
const pageOfClient = (clientName) => () => {
  const { register, histogram } = clientHistogram(clientName);
  recordEverywhere((labels, value) => histogram.observe(labels, value));
  return paging(() => register.metrics());
};

/** The metrics of the client, on our page. @type {(clientName: ClientName) => Setup} */
const pageFromClient = (clientName) => async () => {
  const { fromPromClient, render } = await import('@hdrscope/prometheus');
  const { register, histogram } = clientHistogram(clientName);
  recordEverywhere((labels, value) => histogram.observe(labels, value));
  const source = fromPromClient(register);
  return paging(async () => render(await source({}), 'text'));
};

/** @type {Setup} */
const pageOfRegistry = async () => {
  const { convertSnapshot, render } = await import('@hdrscope/prometheus');
  const { registry, family: durations } = await family({ significantDigits: 2 });
  recordEverywhere((labels, value) => durations.with(labels).record(value));
  // One series changes, so that the snapshot is a new one.
  const one = durations.with(labelsOf(0));
  return {
    ...paging(async () => render(convertSnapshot(await registry.gather()), 'text')),
    before: () => one.record(0.001),
  };
};

/** @type {readonly Group[]} */
export default [
  {
    id: 'client-observe',
    title: 'observe(labels, value): 3 labels, a fresh object per call',
    cases: observations,
  },
  {
    id: 'client-child',
    title: 'observe(value) of a series that was looked up before',
    cases: keptSeries,
  },
  {
    id: 'client-page',
    title: 'the page of 1,000 histogram series of 15 buckets, as text',
    cases: {
      hdrscope: pageOfRegistry,
      'hdrscope, fromPromClient of prom-client': pageFromClient('prom-client'),
      'hdrscope, fromPromClient of @prometheus-io/client': pageFromClient('@prometheus-io/client'),
      'prom-client': pageOfClient('prom-client'),
      '@prometheus-io/client': pageOfClient('@prometheus-io/client'),
    },
  },
];
