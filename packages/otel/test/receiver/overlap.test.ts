import { EventEmitter, once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Turns } from '@hdrscope/kit';
import { createRegistry } from '@hdrscope/registry';
import { type RunningOtlp, serveOtlp } from '../../src/receiver/index.ts';

import { type Answer, ask, JSON_TYPE, PROTOBUF } from './support/http.ts';
import { CUMULATIVE, DELTA, decodedProtobuf, explicitPoint, Receiving } from './support/receiving.ts';
import { attributesJson, type ExplicitJson, requestBytes, requestJson } from './support/request.ts';

const SERIES = 400;

let otlp: RunningOtlp;
let total: () => Promise<number>;
beforeEach(async () => {
  const registry = createRegistry();
  otlp = await serveOtlp(registry, {
    host: '127.0.0.1',
    port: 0,
    familyOptions: () => ({ cardinalityLimit: SERIES }),
  });
  total = async () => {
    const { families } = await registry.gather();
    return families.flatMap(({ series }) => series).reduce((sum, one) => sum + one.histogram.totalCount, 0);
  };
});
afterEach(() => otlp.close());

/** A request with a point of each series. */
function body(temporality: number, count: number, times: Partial<ExplicitJson>): Uint8Array {
  const dataPoints = Array.from({ length: SERIES }, (_, i) =>
    explicitPoint([count, 0, 0, 0], { ...times, attributes: attributesJson({ i }) }),
  );
  const histogram = { aggregationTemporality: temporality, dataPoints };
  return requestBytes(requestJson([{ name: 'm', unit: 's', histogram }]));
}

function send(temporality: number, count: number, times: Partial<ExplicitJson>): Promise<Answer> {
  return ask(otlp.port, { headers: PROTOBUF, body: body(temporality, count, times) });
}

describe('requests of one stream that overlap', () => {
  test('count once when they are equal and their points are deltas', async () => {
    const times = { startTimeUnixNano: 1, timeUnixNano: 2 };
    await Promise.all([send(DELTA, 3, times), send(DELTA, 3, times), send(DELTA, 3, times)]);
    expect(await total()).toBe(3 * SERIES);
    expect(otlp.health.duplicates).toBe(2 * SERIES);
  });

  test('count each when their deltas follow each other', async () => {
    const requests = [1, 2, 3, 4].map((start) =>
      send(DELTA, start, { startTimeUnixNano: start, timeUnixNano: start + 1 }),
    );
    await Promise.all(requests);
    expect(await total()).toBe(10 * SERIES);
  });

  test('count what is in the latest when their points are cumulative', async () => {
    const requests = [1, 2, 3, 4].map((time) =>
      send(CUMULATIVE, 5 * time, { startTimeUnixNano: 1, timeUnixNano: time + 1 }),
    );
    await Promise.all(requests);
    expect(await total()).toBe(20 * SERIES);
    expect(otlp.health.resets).toBe(0);
  });

  test('count in the order in which they came when their points have no times', async () => {
    const receiving = new Receiving({ familyOptions: () => ({ cardinalityLimit: SERIES }) });
    const turns = new Turns();
    // A later point before an earlier one would look like a restart.
    const requests = [5, 10, 15, 20].map((count) =>
      decodedProtobuf(body(CUMULATIVE, count, { timeUnixNano: 0 })),
    );
    await Promise.all(requests.map((metrics) => turns.take(() => receiving.intake.take(metrics))));
    expect(receiving.health).toMatchObject({ values: 20 * SERIES, resets: 0, points: 4 * SERIES });
  });
});

test('a request whose client has gone before its turn counts nothing', async () => {
  const outcomes = new EventEmitter();
  const began = once(outcomes, 'began');
  const failed = once(outcomes, 'failed');
  let isSlow = true;
  await otlp.close();
  otlp = await serveOtlp(createRegistry(), {
    host: '127.0.0.1',
    port: 0,
    // The big request is taken, in slices, until the server has seen that the client of the small one has gone.
    familyOptions: () => {
      outcomes.emit('began');
      const endMs = performance.now() + (isSlow ? 1 : 0);
      while (performance.now() < endMs);
      return {};
    },
    observer: { failed: (error) => outcomes.emit('failed', error) },
  });
  const point = explicitPoint([1, 0, 0, 0], { startTimeUnixNano: 1, timeUnixNano: 2 });
  const histogram = { aggregationTemporality: DELTA, dataPoints: [point] };
  const metrics = Array.from({ length: 4000 }, (_, i) => ({ name: `m${i}`, unit: 's', histogram }));
  const big = ask(otlp.port, { headers: PROTOBUF, body: requestBytes(requestJson(metrics)) });
  await began;

  const bytes = body(DELTA, 1, { startTimeUnixNano: 2, timeUnixNano: 3 });
  const socket = connect(otlp.port, '127.0.0.1');
  const head = `POST /v1/metrics HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-protobuf\r\n`;
  socket.write(`${head}Content-Length: ${bytes.length}\r\n\r\n`);
  socket.end(bytes);
  await once(socket, 'finish');
  socket.destroy();
  await sleep(100);
  isSlow = false;

  expect((await big).status).toBe(200);
  await failed;
  expect(otlp.health).toMatchObject({ requests: 1, failedRequests: 1, points: metrics.length });
});

test('a small request is read while a big one is taken, and is answered after it', async () => {
  const big = send(DELTA, 1, { startTimeUnixNano: 1, timeUnixNano: 2 });
  const small = ask(otlp.port, { headers: JSON_TYPE, body: '{}' });
  expect([(await big).status, (await small).status]).toEqual([200, 200]);
  expect(await total()).toBe(SERIES);
});
