import { Agent } from 'node:http';
import { createRegistry } from '@hdrscope/registry';
import { caseCount } from '@hdrscope/testing/case-count';
import { serveOtlp } from '../../src/receiver/index.ts';
import type { ReceivedMetric } from '../../src/receiver/received.ts';
import { ask, JSON_TYPE, PROTOBUF } from './support/http.ts';
import {
  CUMULATIVE,
  DELTA,
  decodedJson,
  decodedProtobuf,
  explicitPoint,
  exponentialPoint,
  Receiving,
} from './support/receiving.ts';
import { attributesJson, requestBytes, requestJson } from './support/request.ts';

const REQUEST = requestJson([
  {
    name: 'explicit',
    unit: 's',
    histogram: {
      aggregationTemporality: DELTA,
      dataPoints: [
        explicitPoint([1, 2, 3, 4], {
          attributes: attributesJson({ route: '/a' }),
          sum: 9,
          min: 0.01,
          max: 3,
        }),
        explicitPoint([0, 7, 0, 1], { attributes: attributesJson({ route: '/b', retries: 3 }) }),
      ],
    },
  },
  {
    name: 'exponential',
    unit: 'By',
    exponentialHistogram: {
      aggregationTemporality: CUMULATIVE,
      dataPoints: [
        exponentialPoint(3, 60, [1, 0, 5, 200, 3000], { zeroCount: 2, sum: 1e6, startTimeUnixNano: 1 }),
      ],
    },
  },
  { name: 'gauge', gauge: { dataPoints: [{}] } },
]);

/** Random integers from 0 to below `end`. The same seed gives the same numbers. */
function randomIntegers(seed: number): (end: number) => number {
  let state = seed >>> 0;
  return (end) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * end);
  };
}

/** Changes, cuts, doubles or moves some bytes. */
function mutated(bytes: Uint8Array, random: (end: number) => number): Uint8Array {
  let result = [...bytes];
  for (let i = random(4); i >= 0; i--) {
    const at = random(result.length);
    const length = random(12);
    const part = result.slice(at, at + length);
    const kind = random(5);
    if (kind === 0) result[at] = random(256);
    else if (kind === 1) result[at] = (result[at] ?? 0) ^ (1 << random(8));
    else if (kind === 2) result.splice(at, length);
    else if (kind === 3) result.splice(random(result.length), 0, ...part);
    else result = result.slice(0, Math.max(1, at));
  }
  return Uint8Array.from(result);
}

/** The possible totals, given that each point counts whole or not at all. */
function possibleTotals(metrics: readonly ReceivedMetric[]): Set<number> {
  const totals = new Set([0]);
  for (const { data } of metrics) {
    if (data.kind === 'other' || data.kind === 'number') continue;
    for (const { count } of data.points) for (const total of [...totals]) totals.add(total + count);
  }
  return totals;
}

const BODIES = {
  protobuf: {
    bytes: requestBytes(REQUEST),
    headers: PROTOBUF,
    decode: (bytes: Uint8Array) => decodedProtobuf(bytes),
  },
  json: {
    bytes: new TextEncoder().encode(JSON.stringify(REQUEST)),
    headers: JSON_TYPE,
    decode: (bytes: Uint8Array) => decodedJson(new TextDecoder().decode(bytes)),
  },
};

describe.each(Object.entries(BODIES))('mutations of a body in %s', (_, { bytes, headers, decode }) => {
  test('are refused whole, or count point by point', async () => {
    const random = randomIntegers(bytes.length);
    let understood = 0;
    const cases = caseCount(300, 1000);
    for (let i = 0; i < cases; i++) {
      const body = mutated(bytes, random);
      let metrics: ReceivedMetric[];
      try {
        metrics = decode(body);
      } catch (error) {
        expect(error).toMatchObject({ code: 'ERR_DECODE' });
        continue;
      }
      understood++;
      const receiving = new Receiving();
      const { pointCount } = receiving.take(metrics);
      const series = await receiving.series();
      const counted = series.reduce(
        (sum, { histogram, rejected }) => sum + histogram.totalCount + rejected.negative + rejected.tooLarge,
        0,
      );
      expect(possibleTotals(metrics)).toContain(counted);
      const { refused } = receiving.health;
      expect(Object.values(refused).reduce((left, right) => left + right)).toBe(pointCount);
    }
    expect(understood).toBeGreaterThan(cases / 50);
  });

  test('get an answer each', async () => {
    const otlp = await serveOtlp(createRegistry(), { host: '127.0.0.1', port: 0 });
    const random = randomIntegers(bytes.length);
    const statuses = new Set<number>();
    const agent = new Agent({ keepAlive: true, maxSockets: 8 });
    try {
      const batches = caseCount(4, 20);
      for (let batch = 0; batch < batches; batch++) {
        const answers = Array.from({ length: 50 }, () =>
          ask(otlp.port, { headers, agent, body: mutated(bytes, random) }),
        );
        for (const { status } of await Promise.all(answers)) statuses.add(status);
      }
      expect([...statuses].sort()).toEqual([200, 400]);
      const { requests, failedRequests } = otlp.health;
      expect(requests + failedRequests).toBe(batches * 50);
    } finally {
      await otlp.close();
    }
  });
});
