import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describeWithPeers } from '@hdrscope/testing';
import { Application, findPeerPackages, quit, visit } from './support/application.ts';
import { type HistogramPoint, type OtlpMetrics, pointsReceived } from './support/otlp-json.ts';
import { relativeError, trueQuantile } from './support/quantiles.ts';

const ASKED = 90;

/** A value that the service has recorded, or that its instrumentation had to record. */
interface Entry {
  readonly name: string;
  readonly model: string;
  readonly type?: string;
  readonly value: number;
}

/** The middle of the exponential bucket with the quantile. */
function middleAt({ buckets, count }: HistogramPoint, quantile: number): number {
  if (!('scale' in buckets)) throw new Error('must be an exponential histogram');
  const rank = Math.max(1, Math.ceil(quantile * count));
  const base = 2 ** (2 ** -buckets.scale);
  let seen = buckets.zeroCount;
  for (const [i, one] of buckets.counts.entries()) {
    seen += one;
    if (seen >= rank) return (base ** (buckets.offset + i) + base ** (buckets.offset + i + 1)) / 2;
  }
  return Number.NaN;
}

describeWithPeers(['gen-ai'])('a service that asks a server of models, which streams', () => {
  const requests: OtlpMetrics[] = [];
  const sink = createServer(async (request, response) => {
    const body: Buffer[] = [];
    for await (const chunk of request) body.push(chunk);
    requests.push(JSON.parse(Buffer.concat(body).toString()));
    response.setHeader('content-type', 'application/json').end('{}');
  });
  const application = new Application(
    [
      '@hdrscope',
      '@opentelemetry/api',
      '@opentelemetry/exporter-metrics-otlp-http',
      '@opentelemetry/sdk-metrics',
      ...findPeerPackages('gen-ai', ['openai', '@opentelemetry/instrumentation-openai']),
    ],
    ['@opentelemetry/instrumentation-openai'],
  );
  let ledger: readonly Entry[];
  let points: readonly HistogramPoint[];
  let warnings: string;

  beforeAll(async () => {
    sink.listen(0, '127.0.0.1');
    await once(sink, 'listening');
    const running = await application.start(['--import', '@hdrscope/otel/register', 'gen-ai.cjs'], {
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(sink.address() as AddressInfo).port}`,
      HDRSCOPE_VIEWS: 'preset:gen_ai',
    });
    await visit(running, ASKED);
    ledger = await (await fetch(`${running.url}/ledger`)).json();
    expect(await quit(running)).toBe(0);
    points = pointsReceived(requests.slice(-1));
    warnings = running.stderr();
  });

  afterAll(async () => {
    await application.remove();
    sink.close();
  });

  test.each([
    'gen_ai.server.time_to_first_token',
    'gen_ai.server.time_per_output_token',
    'gen_ai.client.token.usage',
  ])('has percentiles of %s by model within 1 %%', (name) => {
    const shown = points.filter((point) => point.name === name);
    const types = name === 'gen_ai.client.token.usage' ? ['input', 'output'] : [undefined];
    expect(shown).toHaveLength(2 * types.length);
    for (const point of shown) {
      const model = point.attributes['gen_ai.request.model'];
      const type = point.attributes['gen_ai.token.type'];
      const values = ledger
        .filter((entry) => entry.name === name && entry.model === model && entry.type === type)
        .map(({ value }) => value)
        .sort((a, b) => a - b);
      expect([model, point.count]).toEqual([model, model === 'large' ? ASKED / 3 : (2 * ASKED) / 3]);
      for (const quantile of [0.1, 0.5, 0.9, 0.99]) {
        expect(relativeError(middleAt(point, quantile), trueQuantile(values, quantile))).toBeLessThan(0.0094);
      }
    }
  });

  test('has the durations of the instrumentation by model, and no attribute of one server', () => {
    const durations = points.filter(({ name }) => name === 'gen_ai.client.operation.duration');
    const models = durations.map(({ attributes, count }) => [attributes['gen_ai.request.model'], count]);
    expect(Object.fromEntries(models)).toEqual({ small: (2 * ASKED) / 3, large: ASKED / 3 });
    const keys = new Set(points.flatMap(({ attributes }) => Object.keys(attributes)));
    expect([...keys].filter((key) => key.startsWith('server.'))).toEqual([]);
    expect(keys).toContain('gen_ai.response.model');
    expect(warnings).not.toContain('hdrscope');
  });
});
