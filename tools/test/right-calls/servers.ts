import { parseConfig, readConfigFile, startAgent } from '@hdrscope/agent';
import { dashboardHandler, serveDashboard } from '@hdrscope/dashboard';
import { bind, createHdr } from '@hdrscope/otel';
import { decodeOtlp, numberStates, otlpReceiver, serveOtlp } from '@hdrscope/otel/receiver';
import { otlpOptionsFromEnvironment, sendOtlp } from '@hdrscope/otel/sender';
import {
  collectDefaultMetrics,
  collectPromClient,
  convertResourceMetrics,
  convertSnapshot,
  formatContentType,
  fromPromClient,
  HdrPrometheusExporter,
  negotiate,
  prometheusHandler,
  render,
  servePromClient,
  servePrometheus,
} from '@hdrscope/prometheus';
import {
  listRemoteHistograms,
  readRemote,
  remoteWriteReceiver,
  serveRemoteWrite,
} from '@hdrscope/prometheus/receiver';
import { sendRemoteWrite } from '@hdrscope/prometheus/remote-write';
import { prometheusRules, readScrapedBounds } from '@hdrscope/prometheus/rules';
import { fetchExposition, ingestPrometheus, readExposition } from '@hdrscope/prometheus/scraper';
import type { Registry } from '@hdrscope/registry';
import { filled, port, snapshot } from './registry.ts';
import { first, type RightCalls, right } from './right-call.ts';

/** A configuration of an agent that does nothing, and the file of the test that holds it. */
export const AGENT_CONFIG = {
  path: './agent.yaml',
  text: 'sources: []\nsinks:\n  - type: prometheus\n    listen: 127.0.0.1:0\n',
};

const LOCAL = { host: '127.0.0.1', port: 0 };
const metrics = { resource: { attributes: {} }, scopeMetrics: [] };
const registry = filled();
const hdr = createHdr({ views: [{ instrumentName: '*' }] });
const NOWHERE = { url: 'http://127.0.0.1:1/', timeoutMs: 50 };
const PAGE = '# TYPE jobs histogram\njobs_bucket{le="1"} 1\njobs_bucket{le="+Inf"} 1\n';
const promClient = { contentType: 'text/plain', getMetricsAsJSON: async () => [] };

/** Nobody answers at {@link NOWHERE}. */
async function unanswered(asked: Promise<unknown>): Promise<void> {
  await asked.catch((error) => {
    if (error.code !== 'ERR_SCRAPE') throw error;
  });
}

/** A response that takes all. */
function response(): object {
  const ended = {
    statusCode: 0,
    headersSent: false,
    writableEnded: false,
    on: () => ended,
    once: () => ended,
    off: () => ended,
    removeListener: () => ended,
    setHeader: () => ended,
    write: () => true,
    end: () => ended,
    destroy: () => ended,
  };
  return ended;
}

export const AGENT: RightCalls = {
  'agent.parseConfig': right(parseConfig, AGENT_CONFIG.text, {}),
  'agent.readConfigFile': right(readConfigFile, AGENT_CONFIG.path, {}),
  'agent.startAgent': right(
    async (...args: Parameters<typeof startAgent>) => (await startAgent(...args)).stop(),
    parseConfig(AGENT_CONFIG.text).config,
    {},
  ),
};

export const DASHBOARD: RightCalls = {
  'dashboard.dashboardHandler': right(dashboardHandler, registry, {}),
  'dashboard.serveDashboard': right(serveDashboard, registry, LOCAL),
};

export const OTEL: RightCalls = {
  'otel.bind': right(bind, { record: () => {} }, {}),
  'otel.createHdr': right(createHdr, { views: [] }),
  'otel.decodeOtlp': right(decodeOtlp, new Uint8Array(), 'protobuf', {}),
  'otel.Hdr.producer': right((options: object) => hdr.producer(options).collect(), {}),
  'otel.Hdr.wrapReader': right(
    (reader: never, options: object) => hdr.wrapReader(reader, options),
    { setMetricProducer: () => {}, selectAggregation: () => ({ type: 0 }) },
    {},
  ),
  'otel.numberStates': right((options: object) => numberStates(options).metrics(), {}),
  'otel.otlpOptionsFromEnvironment': right(otlpOptionsFromEnvironment, {}),
  'otel.otlpReceiver': right(otlpReceiver, registry, {}),
  'otel.OtlpSender.close': right((options: object) => sendOtlp(registry, NOWHERE).close(options), {
    timeoutMs: 50,
  }),
  'otel.sendOtlp': right(
    (of: Registry, options: object) => sendOtlp(of, options as never).close({ timeoutMs: 50 }),
    registry,
    { ...NOWHERE, temporality: 'delta' },
  ),
  'otel.serveOtlp': right(serveOtlp, registry, LOCAL),
};

export const PROMETHEUS: RightCalls = {
  'prometheus.collectDefaultMetrics': right(collectDefaultMetrics, registry, {}),
  'prometheus.collectPromClient': right(
    async (options: object) => {
      const collection = collectPromClient(options);
      await collection.families({});
      collection.close();
    },
    { registries: promClient },
  ),
  'prometheus.convertResourceMetrics': right(convertResourceMetrics, metrics, {}),
  'prometheus.convertSnapshot': right(convertSnapshot, snapshot, {}),
  'prometheus.fetchExposition': right(
    (options: object) => unanswered(fetchExposition(options as never)),
    NOWHERE,
  ),
  'prometheus.formatContentType': right(formatContentType, 'text'),
  'prometheus.fromPromClient': right((of: typeof promClient) => fromPromClient(of)({}), promClient),
  'prometheus.HdrPrometheusExporter': right(async (options: object) => {
    let exporter: HdrPrometheusExporter | undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        exporter = new HdrPrometheusExporter(options, (error) => (error ? reject(error) : resolve()));
      });
    } finally {
      await exporter?.shutdown();
    }
  }, LOCAL),
  'prometheus.ingestPrometheus': right(
    async (of: Registry, fetch: () => Promise<never>, options: object) => {
      const ingestion = ingestPrometheus(of, fetch, options);
      await ingestion.scrape();
      await ingestion.close();
    },
    registry,
    async () => ({ bytes: new TextEncoder().encode(PAGE), format: 'text' }),
    {},
  ),
  'prometheus.listRemoteHistograms': right(
    (options: object) => unanswered(listRemoteHistograms(options as never)),
    NOWHERE,
  ),
  'prometheus.readRemote': right((options: object) => unanswered(first(readRemote(options as never))), {
    ...NOWHERE,
    metric: 'x',
    sinceMs: 0,
    untilMs: 1000,
  }),
  'prometheus.negotiate': right(negotiate, 'text/plain'),
  'prometheus.prometheusHandler': right(
    async (of: Registry, options: object) => {
      prometheusHandler(of, options)({ method: 'GET', headers: {} }, response() as never);
      await of.gather();
    },
    registry,
    {},
  ),
  'prometheus.prometheusRules': right(
    (slos: readonly object[]) => prometheusRules(slos as never),
    [{ metric: 'jobs', threshold: 1, budget: 0.01 }],
  ),
  'prometheus.readExposition': right(readExposition, new TextEncoder().encode(PAGE), 'text'),
  'prometheus.readScrapedBounds': right(readScrapedBounds, PAGE, 'jobs'),
  'prometheus.remoteWriteReceiver': right(remoteWriteReceiver, registry, {}),
  'prometheus.serveRemoteWrite': right(serveRemoteWrite, registry, LOCAL),
  'prometheus.RemoteWriter.close': right(
    (options: object) => sendRemoteWrite(registry, NOWHERE).close(options),
    {
      timeoutMs: 50,
    },
  ),
  'prometheus.render': right(render, convertSnapshot(snapshot), 'text'),
  'prometheus.sendRemoteWrite': right(
    (of: Registry, options: object) => sendRemoteWrite(of, options as never).close({ timeoutMs: 50 }),
    registry,
    NOWHERE,
  ),
  'prometheus.servePromClient': right(
    async (of: typeof promClient, to: ReturnType<typeof port>) => servePromClient(of, to)(),
    promClient,
    port(),
  ),
  'prometheus.servePrometheus': right(servePrometheus, registry, LOCAL),
};
