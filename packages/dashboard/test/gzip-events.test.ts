import { execFileSync } from 'node:child_process';
import { createGunzip, gunzipSync } from 'node:zlib';
import { createRegistry } from '@hdrscope/registry';
import { lackOfProgram, testUnless } from '@hdrscope/testing';
import { caseCount } from '@hdrscope/testing/case-count';
import fc from 'fast-check';
import { GZIP_HEADER, GzipEnd, StreamEvent } from '../src/stream-event.ts';
import { EventReader, endAll, open, serve } from './support.ts';

afterEach(endAll);

const GZIP = { headers: { 'accept-encoding': 'gzip' } };

/** The bytes of a stream that has some events. */
async function streamEvents(events: readonly StreamEvent[]): Promise<Buffer> {
  const end = new GzipEnd();
  const parts = [GZIP_HEADER];
  for (const event of events) {
    parts.push(await event.zip());
    end.note(event.bytes);
  }
  return Buffer.concat([...parts, end.write()]);
}

test('events in whatever order are one valid stream of gzip, though each was compressed once and alone', async () => {
  const event = fc
    .tuple(fc.string({ unit: 'grapheme', maxLength: 40 }), fc.nat(400))
    .map(([text, times]) => new StreamEvent({ event: 'table', data: JSON.stringify(text.repeat(times)) }));
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 6 }), fc.array(fc.nat(5)), async (all, order) => {
      const sent = order.flatMap((at) => all[at] ?? []);
      const stream = await streamEvents(sent);
      const text = Buffer.concat(sent.map(({ bytes }) => bytes));
      expect(gunzipSync(stream).equals(text)).toBe(true);
    }),
    { numRuns: caseCount(50, 500) },
  );
});

testUnless(lackOfProgram('gzip'))('gzip of the system reads a stream', async () => {
  const events = [10, 100_000, 1].map((length, at) => {
    const data = JSON.stringify({ at, text: 'slow '.repeat(length) });
    return new StreamEvent({ event: 'rows', data, id: `a.${at}` });
  });
  const text = execFileSync('gzip', ['-dc'], { input: await streamEvents(events), maxBuffer: 2 ** 22 });
  expect(text.equals(Buffer.concat(events.map(({ bytes }) => bytes)))).toBe(true);
});

test('each event of a compressed stream comes at once, and is that of a stream of text; the end of the server ends it', async () => {
  const registry = createRegistry();
  const series = Array.from({ length: 300 }, (_, n) =>
    registry.histogram({ name: 'rpc.duration', unit: 's' }).with({ route: `/api/${n}` }),
  );
  for (const one of series) one.record(0.1);
  const dashboard = await serve(registry, { intervalMs: 100 });
  const zipped = await open({ port: dashboard.port, path: '/events', ...GZIP });
  expect(zipped.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' });
  let wire = 0;
  zipped.on('data', (bytes: Buffer) => {
    wire += bytes.length;
  });
  const text = zipped.pipe(createGunzip());
  const ended = new Promise<void>((resolve, reject) => {
    text.on('error', reject).on('end', resolve);
  });
  const events = new EventReader(text as never);
  const plain = await EventReader.open({ port: dashboard.port });
  const first = await events.table();
  expect((await plain.table()).rows).toEqual(first.rows);
  expect(wire).toBeLessThan(JSON.stringify(first).length / 4);

  // Nothing waits for a full buffer: one value is one small event.
  for (let n = 2; n <= 5; n++) {
    series[7]!.record(0.1);
    let count = 0;
    while (count !== n) count = (await events.table()).rows.find(([id]) => id === 7)?.[1] ?? count;
  }
  await dashboard.close();
  for (;;) {
    const block = await events.block().catch(() => undefined);
    if (block === undefined) break;
  }
  await ended;
});

test('a client that takes gzip and does not read gets no updates, and then all changes at once', async () => {
  const registry = createRegistry();
  const series = registry.histogram({ name: 'queue', unit: 's' }).with({});
  let seed = 1;
  const random = (): number => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed;
  };
  // They hardly become smaller, so a few updates fill the buffers of the system.
  const counts = new Array<number>(200_000).fill(0);
  const tabs = async () => {
    const plot = { kind: 'bars' as const, unit: 'none' as const, slots: [], counts: counts.map(random) };
    return [{ name: 'large', plots: [plot] }];
  };
  const { port } = await serve(registry, { intervalMs: 100, tabs });
  const response = await open({ port, path: '/events?tab=large', ...GZIP });
  const reading = await EventReader.open({ port });
  await reading.table();
  const updates = 20;
  for (let recorded = 1; recorded <= updates; recorded++) {
    series.record(1);
    while ((await reading.table()).rows[0]?.[1] !== recorded);
  }
  const slow = new EventReader(response.pipe(createGunzip()) as never);
  let [messages, count] = [0, 0];
  while (count !== updates) {
    count = (await slow.table()).rows[0]?.[1] ?? count;
    messages++;
  }
  expect(messages).toBeLessThan(updates / 2);
}, 30_000);
