import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { Budget, WireReader } from '@hdrscope/kit';
import fc from 'fast-check';
import { type RemoteReadHealth, type RemoteReadOptions, readRemote } from '../../src/receiver/index.ts';
import { unsnappy } from '../../src/receiver/unsnappy.ts';
import { snappy } from '../../src/remote-write/snappy.ts';
import { classicSeries, encode1, type SeriesToWrite } from '../support/write-request.ts';

const NOON = 1_700_000_040_000;
const MINUTE_MS = 60_000;
const LOOKBACK_MS = 5 * MINUTE_MS;

/** A state of one histogram: how many values it has in two buckets. */
type State = readonly [timeMs: number, low: number, high: number];

/** A server that keeps the states of histograms by their label `job`, as classic and as native ones. */
interface Kept {
  readonly classic: Readonly<Record<string, readonly State[]>>;
  readonly native: Readonly<Record<string, readonly State[]>>;
}

/** The start, the end and the names of the labels of a question. */
function readQuestion(body: Uint8Array): { startMs: number; endMs: number; matchers: string[] } {
  const bytes = unsnappy(body, 1e6);
  const reader = new WireReader(bytes, new Budget('the test', {}));
  const question = { startMs: 0, endMs: 0, matchers: [] as string[] };
  reader.tag(bytes.length);
  const end = reader.message(bytes.length);
  while (reader.at < end) {
    const tag = reader.tag(end);
    if (tag === 0x08) question.startMs = reader.signed(end);
    else if (tag === 0x10) question.endMs = reader.signed(end);
    else {
      const to = reader.message(end);
      const texts: string[] = [];
      while (reader.at < to) {
        const inner = reader.tag(to);
        if (inner === 0x08) texts.push(['=', '!=', '=~'][reader.varint(to)]!);
        else texts.push(reader.text(to));
      }
      question.matchers.push(texts.join(' '));
    }
  }
  return question;
}

function seriesBetween({ classic, native }: Kept, startMs: number, endMs: number): SeriesToWrite[] {
  const isWithin = ([timeMs]: State): boolean => timeMs >= startMs && timeMs <= endMs;
  const merged = new Map<string, SeriesToWrite>();
  for (const [job, states] of Object.entries(classic)) {
    for (const [timeMs, low, high] of states.filter(isWithin)) {
      const buckets = { '0.1': low, '1': low + high, '+Inf': low + high };
      for (const one of classicSeries('x_seconds', { job }, buckets, timeMs, { sum: low + high })) {
        const key = JSON.stringify(one.labels);
        const before = merged.get(key);
        merged.set(key, { ...one, samples: [...(before?.samples ?? []), ...(one.samples ?? [])] });
      }
    }
  }
  const natives = Object.entries(native).map(([job, states]) => ({
    labels: { __name__: 'x_seconds', job },
    histograms: states.filter(isWithin).map(([timeMs, low, high]) => ({
      ...{ count: low + high, sum: low + high, timeMs },
      spans: [[1, 2]] as const,
      counts: [low, high],
    })),
  }));
  return [...merged.values(), ...natives];
}

interface Answered {
  readonly url: string;
  readonly questions: { startMs: number; endMs: number; matchers: string[] }[];
  readonly close: () => void;
}

/** Answers remote reads of what is kept. */
async function serveKept(answer: (startMs: number, endMs: number) => Uint8Array): Promise<Answered> {
  const questions: Answered['questions'] = [];
  const server: Server = createServer(async (request, response) => {
    const question = readQuestion(await buffer(request));
    questions.push(question);
    response.setHeader('content-encoding', 'snappy').setHeader('content-type', 'application/x-protobuf');
    response.end(snappy(answer(question.startMs, question.endMs)));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, questions, close: () => server.close() };
}

/** A `ReadResponse` with one result, whose series are those of a request of version 1. */
function encodeResponse(series: readonly SeriesToWrite[]): Uint8Array {
  const result = encode1(series);
  const length: number[] = [];
  for (let rest = result.length; ; rest = Math.floor(rest / 128)) {
    length.push(rest > 127 ? (rest % 128) | 0x80 : rest);
    if (rest <= 127) break;
  }
  return Uint8Array.from([0x0a, ...length, ...result]);
}

type Asked = Partial<RemoteReadOptions> & Pick<RemoteReadOptions, 'url'>;

/** The time, the values of each job and the health of each snapshot. */
async function readAll(options: Asked) {
  const all: { timeMs: number; totals: Record<string, number>; health: RemoteReadHealth }[] = [];
  const span = { sinceMs: NOON, untilMs: NOON + 10 * MINUTE_MS };
  for await (const { snapshot, health } of readRemote({ metric: 'x_seconds', ...span, ...options })) {
    const totals = Object.fromEntries(
      snapshot.families.flatMap(({ series }) =>
        series.map(({ attributes, histogram }) => [attributes.job, histogram.totalCount]),
      ),
    );
    all.push({ timeMs: snapshot.timeMs, totals, health });
  }
  return all;
}

/** States at ascending times: each grows, or falls in a bucket when its process begins anew. */
const history: fc.Arbitrary<State[]> = fc
  .array(
    fc.record({
      gapMs: fc.integer({ min: 1, max: 40 * MINUTE_MS }),
      low: fc.nat(9),
      high: fc.nat(9),
      isRestart: fc.boolean(),
    }),
    { maxLength: 12 },
  )
  .map((changes) => {
    let [timeMs, low, high] = [NOON - 20 * MINUTE_MS, 0, 0];
    return changes.map(({ gapMs, isRestart, ...more }): State => {
      timeMs += gapMs;
      const isFall = isRestart && low > 0;
      [low, high] = isFall ? [Math.min(more.low, low - 1), more.high] : [low + more.low, high + more.high];
      return [timeMs, low, high];
    });
  });

/** How many values the states add between two times, and how many have no time, by the rules alone. */
function countBetween(states: readonly State[], sinceMs: number, fromMs: number, toMs: number) {
  const known = states.filter(([timeMs]) => timeMs >= sinceMs - LOOKBACK_MS && timeMs <= toMs);
  let [added, undated] = [0, 0];
  for (const [at, [timeMs, low, high]] of known.entries()) {
    const [, lowBefore, highBefore] = known[at - 1] ?? [];
    const total = low + high;
    if (lowBefore === undefined || highBefore === undefined) {
      if (timeMs > sinceMs) undated += total;
    } else if (timeMs > fromMs) {
      const isRestart = low < lowBefore || high < highBefore;
      added += isRestart ? total : total - lowBefore - highBefore;
    }
  }
  return { added, undated };
}

test('each snapshot has the values of the samples until then, whatever the steps and the sizes of answers', async () => {
  const jobs = fc.dictionary(fc.constantFrom('a', 'b'), history);
  await fc.assert(
    fc.asyncProperty(
      fc.record({ classic: jobs, native: jobs.map((all) => renamed(all)) }),
      fc.integer({ min: 1, max: 300 }),
      fc.integer({ min: 1, max: 5 * 60 }),
      fc.constantFrom(2 ** 20, 4000),
      async (kept, minutes, stepMinutes, maxBytes) => {
        const untilMs = NOON + minutes * MINUTE_MS;
        const stepMs = stepMinutes * MINUTE_MS;
        const server = await serveKept((startMs, endMs) =>
          encodeResponse(seriesBetween(kept, startMs, endMs)),
        );
        try {
          const all = await readAll({ url: server.url, untilMs, stepMs, maxBytes });
          const ends = Array.from(
            { length: Math.ceil(untilMs / stepMs) - Math.floor(NOON / stepMs) },
            (_, i) => Math.min(untilMs, (Math.floor(NOON / stepMs) + 1 + i) * stepMs),
          );
          expect(all.map(({ timeMs }) => timeMs)).toEqual([NOON, ...ends]);
          const [first] = all;
          for (const { timeMs, totals, health } of all) {
            let undated = 0;
            for (const [job, states] of [...Object.entries(kept.classic), ...Object.entries(kept.native)]) {
              const wanted = countBetween(states, NOON, NOON, timeMs);
              undated += wanted.undated;
              expect([timeMs, job, (totals[job] ?? 0) - (first!.totals[job] ?? 0)]).toEqual([
                ...[timeMs, job, wanted.added],
              ]);
            }
            expect(health).toMatchObject({ lostValues: 0, problems: [] });
            // The first state of a classic histogram waits for its second one, or for the end.
            if (timeMs === untilMs) expect(health.undatedValues).toBe(undated);
            else expect(health.undatedValues).toBeLessThanOrEqual(undated);
          }
        } finally {
          server.close();
        }
      },
    ),
    { numRuns: 60 },
  );
});

/** Native histograms of other jobs than the classic ones. */
function renamed(all: Readonly<Record<string, State[]>>): Record<string, State[]> {
  return Object.fromEntries(Object.entries(all).map(([job, states]) => [`${job}-native`, states]));
}

test('a step counts all of its states, however many buckets they have together', async () => {
  // More than the 48,000,000 buckets that a request of remote write may have.
  const [states, buckets] = [2500, 20_000];
  const histograms = Array.from({ length: states }, (_, at) => ({
    ...{ schema: 8, count: at + 1, sum: at, timeMs: NOON + at },
    ...{ spans: [[-buckets, 1] as const, [buckets - 2, 1] as const], counts: [1, at] },
  }));
  const server = await serveKept((startMs, endMs) => {
    const isWithin = ({ timeMs }: { timeMs: number }): boolean => timeMs >= startMs && timeMs <= endMs;
    const within = histograms.filter(isWithin);
    return encodeResponse([{ labels: { __name__: 'x_seconds', job: 'a' }, histograms: within }]);
  });
  try {
    const last = (await readAll({ url: server.url, stepMs: 10 * MINUTE_MS })).at(-1)!;
    expect([last.totals.a, last.health.refused.malformed]).toEqual([states - 1, 0]);
  } finally {
    server.close();
  }
});

test('a server is asked for the histogram by its whole name, and for the five minutes before first', async () => {
  const server = await serveKept(() => encodeResponse([]));
  const past = await readAll({
    url: `${server.url}/prom/`,
    metric: 'a.b"é',
    where: { job: 'x|y' },
    untilMs: NOON + 1000,
  });
  server.close();
  const matchers = ['=~ __name__ a\\x{2e}b\\x{22}\\x{e9}(_bucket|_sum|_count)?', '= job x|y'];
  expect(server.questions).toEqual([
    { startMs: NOON - LOOKBACK_MS, endMs: NOON, matchers },
    { startMs: NOON + 1, endMs: NOON + 1000, matchers },
  ]);
  expect(past.map(({ totals }) => totals)).toEqual([{}, {}]);
});

test('series that come without samples are counted', async () => {
  const server = await serveKept(() => encodeResponse([{ labels: { __name__: 'x_seconds', job: 'a' } }]));
  const past = await readAll({ url: server.url });
  server.close();
  expect(past.at(-1)!.health).toMatchObject({ series: 1, emptySeries: 1, values: 0 });
});

const BAD_ANSWERS: [what: string, answer: Uint8Array, problem: string][] = [
  [
    'a page for people',
    new TextEncoder().encode('<html></html>'),
    'the answer is no prometheus.ReadResponse',
  ],
  [
    'an answer that was cut off',
    encodeResponse([{ labels: { __name__: 'x_seconds' } }]).subarray(0, -3),
    'ReadResponse',
  ],
];

test.each(BAD_ANSWERS)('%s is refused', async (_, answer, problem) => {
  const server = await serveKept(() => answer);
  await expect(readAll({ url: server.url })).rejects.toMatchObject({
    code: 'ERR_DECODE',
    message: expect.stringContaining(problem),
  });
  server.close();
});

test('the reason of a server that refuses is in the error', async () => {
  const server = createServer((_, response) =>
    response.writeHead(400).end('exceeded sample limit (7)\nmore'),
  ).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await expect(readAll({ url: `http://127.0.0.1:${port}` })).rejects.toMatchObject({
    code: 'ERR_SCRAPE',
    message: `remote read at 127.0.0.1:${port} failed: it answers with status 400: exceeded sample limit (7)`,
  });
  server.close();
});

test('an end that is not after the beginning is refused', async () => {
  await expect(readAll({ url: 'http://localhost', untilMs: NOON })).rejects.toMatchObject({
    code: 'ERR_INVALID_OPTION',
  });
});
