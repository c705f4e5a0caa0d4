import { gzipSync } from 'node:zlib';
import { createRegistry, type Registry } from '@hdrscope/registry';
import { caseCount } from '@hdrscope/testing/case-count';
import * as fc from 'fast-check';
import { type NumberStates, numberStates, serveOtlp } from '../../src/receiver/index.ts';
import { statusIn } from '../../src/sender/answer.ts';
import { callOn, connectGrpc, frame } from './support/grpc.ts';
import { ask, PROTOBUF } from './support/http.ts';
import { CUMULATIVE, DELTA, explicitPoint, exponentialPoint } from './support/receiving.ts';
import { attributesJson, type MetricJson, requestBytes, requestJson } from './support/request.ts';

const counts = fc.array(fc.nat(9), { minLength: 4, maxLength: 4 });
const extra = fc.record({
  startTimeUnixNano: fc.constant(1),
  timeUnixNano: fc.integer({ min: 2, max: 6 }),
  attributes: fc.constantFrom('/a', '/b').map((route) => attributesJson({ route })),
});
const temporality = fc.constantFrom(DELTA, CUMULATIVE);
const names = fc.constantFrom('m', 'n');
const metric: fc.Arbitrary<MetricJson> = fc.oneof(
  fc.record({ name: names, at: temporality, counts, extra }).map(({ name, at, counts, extra }) => ({
    name,
    unit: 's',
    histogram: { aggregationTemporality: at, dataPoints: [explicitPoint(counts, extra)] },
  })),
  fc.record({ at: temporality, counts, extra }).map(({ at, counts, extra }) => ({
    name: 'e',
    exponentialHistogram: { aggregationTemporality: at, dataPoints: [exponentialPoint(2, 3, counts, extra)] },
  })),
  fc.record({ extra, asInt: fc.nat(9) }).map(({ extra, asInt }) => ({
    name: 'sum',
    sum: { aggregationTemporality: CUMULATIVE, isMonotonic: true, dataPoints: [{ ...extra, asInt }] },
  })),
  fc.constantFrom<MetricJson>(
    { name: 'g', gauge: { dataPoints: [{ startTimeUnixNano: 1, timeUnixNano: 2, asDouble: 0.5 }] } },
    { name: 'q', summary: { dataPoints: [{}, {}] } },
  ),
);
const requests = fc.array(
  fc.record({
    metrics: fc.array(metric, { maxLength: 4 }),
    cut: fc.option(fc.nat(60), { nil: undefined, freq: 6 }),
    isGzip: fc.boolean(),
  }),
  { minLength: 1, maxLength: 5 },
);

/** All that a registry has, as plain data. */
async function contentOf(registry: Registry): Promise<unknown> {
  const { families } = await registry.gather();
  return families.map(({ name, unit, series }) => [
    name,
    unit,
    series.map(({ attributes, histogram, sum, rejected }) => [attributes, histogram.toJSON(), sum, rejected]),
  ]);
}

/** The states of numbers without the times, of which some are those of the clock. */
function valuesOf(numbers: NumberStates): unknown {
  const isTime = (key: string): boolean => key === 'startTime' || key === 'endTime';
  return JSON.parse(JSON.stringify(numbers.metrics(), (key, value) => (isTime(key) ? undefined : value)));
}

test('the same requests over HTTP and gRPC get the same answers and make the same registry', async () => {
  const statuses = new Map([
    [200, 0],
    [400, 3],
    [413, 8],
  ]);
  await fc.assert(
    fc.asyncProperty(requests, async (sent) => {
      const grpc = { registry: createRegistry(), numbers: numberStates() };
      const http = { registry: createRegistry(), numbers: numberStates() };
      const at = {
        host: '127.0.0.1',
        port: 0,
        maxElements: 60,
        clock: { nowMs: () => 1000, monotonicMs: () => 1000 },
      } as const;
      const overGrpc = await serveOtlp(grpc.registry, { ...at, protocol: 'grpc', numbers: grpc.numbers });
      const overHttp = await serveOtlp(http.registry, { ...at, numbers: http.numbers });
      const client = connectGrpc(overGrpc.port);
      try {
        for (const { metrics, cut, isGzip } of sent) {
          const body = requestBytes(requestJson(metrics)).subarray(0, cut);
          const bytes = isGzip ? gzipSync(body) : body;
          const answer = await callOn(
            client,
            frame(bytes, isGzip ? 1 : 0),
            isGzip ? { 'grpc-encoding': 'gzip' } : {},
          );
          const expected = await ask(overHttp.port, {
            headers: { ...PROTOBUF, ...(isGzip && { 'content-encoding': 'gzip' }) },
            body: bytes,
          });
          expect(answer.status).toBe(statuses.get(expected.status));
          if (expected.status === 200) expect(answer.body).toEqual(expected.body);
          else expect(answer.message).toContain(statusIn(expected.body).message);
        }
        const { refusals: _g, ...grpcHealth } = overGrpc.health;
        const { refusals: _h, ...httpHealth } = overHttp.health;
        expect(grpcHealth).toEqual(httpHealth);
        expect(await contentOf(grpc.registry)).toEqual(await contentOf(http.registry));
        expect(valuesOf(grpc.numbers)).toEqual(valuesOf(http.numbers));
      } finally {
        client.destroy();
        await Promise.all([overGrpc.close(), overHttp.close()]);
      }
    }),
    { numRuns: caseCount(60, 400) },
  );
});
