import { createReadStream, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type RequestSink, readLoadSummary, readRequests, recogniseInput } from '../../src/index.ts';

// Outputs of the tools themselves. `tools/goldens/load-tools` has the programs that made them.

const pathOf = (name: string): string => fileURLToPath(new URL(`goldens/${name}`, import.meta.url));

interface Read {
  readonly ms: number[];
  readonly at: number[];
  failed: number;
}

async function read(bytes: Parameters<typeof readRequests>[1], options = {}): Promise<Read> {
  const found: Read = { ms: [], at: [], failed: 0 };
  const sink: RequestSink = {
    onRequest(durationMs, atSec) {
      found.ms.push(durationMs);
      found.at.push(atSec);
    },
    onOutcome(isFailed) {
      if (isFailed) found.failed++;
    },
  };
  await readRequests('gatling log', bytes, sink, { name: 'simulation.log', ...options });
  return found;
}

describe.each([
  // What Gatling itself reports of these logs.
  ['gatling-3.12.0.log', { count: 240, failed: 87, max: 232, mean: 15 }],
  ['gatling-3.14.9.log', { count: 240, failed: 83, max: 176, mean: 14 }],
])('%s', (name, reported) => {
  test('is recognised by its beginning, as text and as bytes', () => {
    const bytes = readFileSync(pathOf(name)).subarray(0, 4096);
    expect(recogniseInput(bytes)).toBe('gatling log');
    expect(recogniseInput(new TextDecoder().decode(bytes))).toBe('gatling log');
  });

  test('has the requests, the failures and the durations that Gatling reports', async () => {
    const { ms, at, failed } = await read(readFileSync(pathOf(name)));
    const mean = ms.reduce((sum, one) => sum + one, 0) / ms.length;
    expect({ count: ms.length, failed, max: Math.max(...ms), mean: Math.round(mean) }).toEqual(reported);
    const startSec = Date.UTC(2026, 10, 28, 18, 42) / 1000;
    for (const sec of at) expect(sec - startSec).toBeLessThan(120);
    expect(Math.min(...at)).toBeGreaterThan(startSec);
  });

  test('is read the same in chunks of any size', async () => {
    const whole = await read(readFileSync(pathOf(name)));
    for (const highWaterMark of [2, 1000])
      expect(await read(createReadStream(pathOf(name), { highWaterMark }))).toEqual(whole);
  });
});

test('the requests of both logs of Gatling have their names and groups, in chunks of any size', async () => {
  // Those of the text, by its columns.
  const text = readFileSync(pathOf('gatling-3.12.0.log'), 'utf8').split('\n');
  const rows = text.filter((line) => line.startsWith('REQUEST\t')).map((line) => line.split('\t'));
  const expected = countTexts(rows.map(([, group, name]) => `${name} in ${group}`));
  const read = async (name: string, highWaterMark: number): Promise<string[]> => {
    const found: string[] = [];
    const onRequest: RequestSink['onRequest'] = (_, __, labels) => void found.push(labels!.join(' in '));
    const bytes = createReadStream(pathOf(name), { highWaterMark });
    await readRequests('gatling log', bytes, { onRequest }, { labels: ['name', 'group'] });
    return found;
  };
  for (const chunk of [3, 500, 1e6]) {
    expect(countTexts(await read('gatling-3.12.0.log', chunk))).toEqual(expected);
    expect(Object.keys(countTexts(await read('gatling-3.14.9.log', chunk))).sort()).toEqual(
      Object.keys(expected).sort(),
    );
  }
  expect(Object.keys(expected).length).toBeGreaterThan(1);
});

function countTexts(texts: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const text of texts) counts[text] = (counts[text] ?? 0) + 1;
  return counts;
}

describe('a binary log of Gatling', () => {
  const golden = readFileSync(pathOf('gatling-3.14.9.log'));

  test('that is cut anywhere is refused, unless it ends with a record', async () => {
    const whole = await read(golden);
    let accepted = 0;
    for (let length = 1; length < golden.length; length += 29) {
      const cut = await read(golden.subarray(0, length)).catch((error: Error) => error);
      if (cut instanceof Error) {
        expect(cut.message).toMatch(
          /^simulation\.log is a binary log of Gatling with an end within a record at byte \d+: /,
        );
        continue;
      }
      accepted++;
      expect(cut.ms).toEqual(whole.ms.slice(0, cut.ms.length));
    }
    expect(accepted).toBeLessThan(golden.length / 290);
  });

  test.each([
    ['a record of the type 9', [9]],
    ['a record of the type 0', [0]],
    ['a length of -1', [1, 255, 255, 255, 255]],
    ['a length of 2000000000', [1, 0x77, 0x35, 0x94, 0]],
    ['a text without a number', [1, 0, 0, 0, 0, 0, 0, 0, 0]],
    ['a request that ends before it begins', [1, ...int(0), ...int(-1), ...int(9), ...int(8), 1, ...int(-1)]],
    ['7 where there must be 0 or 1', [2, ...int(0), 7]],
  ])('with %s is refused with its place', async (what, record) => {
    await expect(read(Buffer.concat([golden, Buffer.from(record)]))).rejects.toMatchObject({
      code: 'ERR_DECODE',
      message: expect.stringContaining(`binary log of Gatling with ${what} at byte `),
    });
  });
});

function int(value: number): number[] {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return [...bytes];
}

test('a text log of Gatling before 3.4 has the number of the user in its lines', async () => {
  const log =
    'RUN\tSim\tsim\t1600000000000\t \t3.3.1\nREQUEST\t7\tcart\tb\t1600000000500\t1600000000512\tKO\tstatus 503\n';
  expect(await read(Buffer.from(log))).toEqual({ ms: [12], at: [1_600_000_000.5], failed: 1 });
});

test('a damaged line of a text log of Gatling is named, and the others count', async () => {
  const log =
    'RUN\tSim\tsim\t1\t \t3.12.0\nREQUEST\t\tb\t5\tx\tOK\t \nREQUEST\t\tb\t9\t8\tOK\t \nREQUEST\t\tb\t5\t8\tOK\t \n';
  const bad: string[] = [];
  const { ms } = await read(Buffer.from(log), {
    onBadLine: ({ message }: { message: string }) => bad.push(message),
  });
  expect(ms).toEqual([3]);
  expect(bad).toEqual(
    [2, 3].map(
      (line) => `simulation.log: line ${line} must have the start and the end of a request, and OK or KO`,
    ),
  );
});

/** The durations that the programs in `tools/goldens/load-tools` give to the tools, in their order of size. */
function knownDurations(isTaken: (i: number) => boolean, shift: number): Float64Array {
  const durations: number[] = [];
  let state = 1;
  for (let i = 0; i < 5000; i++) {
    state = (state * 48_271) % 2_147_483_647;
    if (isTaken(i)) durations.push(Math.exp((9.9 * state) / 2_147_483_647) + shift);
  }
  return Float64Array.from(durations).sort();
}

describe.each([
  {
    file: 'locust-2.47.0_stats.csv',
    form: 'locust table',
    tool: 'Locust',
    durations: knownDurations(() => true, 0),
    errors: { failed: 50, requests: 5000 },
    percentiles: [50, 66, 75, 80, 90, 95, 98, 99, 99.9, 99.99, 100],
    // Two digits.
    widest: 1.12,
  },
  {
    file: 'artillery-2.0.34.json',
    form: 'artillery report',
    tool: 'Artillery',
    durations: knownDurations((i) => i % 100 !== 0, -1),
    errors: { failed: 150, requests: 5000 },
    percentiles: [50, 75, 90, 95, 99, 99.9, 100],
    widest: 1.03,
  },
])('$file', ({ file, form, tool, durations, errors, percentiles, widest }) => {
  const bytes = readFileSync(pathOf(file));

  test('is recognised, and counts what its tool counted', async () => {
    expect(recogniseInput(bytes, { isWhole: true })).toBe(form);
    const summary = await readLoadSummary(bytes);
    expect(summary).toMatchObject({ tool, count: durations.length, errors });
    expect(summary.percentiles.map(({ percentile }) => percentile)).toEqual(percentiles);
  });

  test('has percentiles whose bounds contain the true values, and are not wider than the tool rounds', async () => {
    const { percentiles } = await readLoadSummary(bytes);
    for (const { lower, upper, atOrBelow, below } of percentiles) {
      expect(durations.filter((one) => one <= upper).length).toBeGreaterThanOrEqual(atOrBelow);
      expect(durations.filter((one) => one < lower).length).toBeLessThanOrEqual(below);
      expect(upper / lower).toBeLessThan(widest);
    }
  });
});

test.each([
  ['Type,Name,Request Count,Failure Count,50%\nGET,/,1,0,3\n', /must have a row Aggregated/],
  [
    'Type,Name,Request Count,Failure Count,50%,Max Response Time\n,Aggregated,x,0,3,4\n',
    /must have numbers of at least 0, got "x"/,
  ],
  [
    'Type,Name,Request Count,Failure Count,50%,Max Response Time\n,Aggregated,3,0,147,200\n',
    /must have durations as Locust rounds them, got 147 for 50%/,
  ],
  [
    'Type,Name,Request Count,Failure Count,50%,Max Response Time\n,Aggregated,3,0,N/A,4\n',
    /must have numbers of at least 0, got "N\/A"/,
  ],
])('a table of Locust without its facts is refused', async (text, message) => {
  await expect(readLoadSummary(Buffer.from(text), { name: 'x' })).rejects.toThrow(message);
});

test('a table of Locust without requests has no percentiles', async () => {
  const text =
    'Type,Name,Request Count,Failure Count,50%,100%,Max Response Time\n,Aggregated,0,0,N/A,N/A,0\n';
  expect(await readLoadSummary(Buffer.from(text))).toMatchObject({ count: 0, percentiles: [] });
});

test('a report of Artillery without HTTP has no durations', async () => {
  const text = '{"aggregate":{"counters":{"vusers.created":3},"summaries":{}}}';
  expect(await readLoadSummary(Buffer.from(text))).toMatchObject({
    count: 0,
    percentiles: [],
    errors: { failed: 0, requests: 0 },
  });
});
