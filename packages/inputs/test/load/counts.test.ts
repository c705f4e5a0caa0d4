import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { readCounts, recogniseInput } from '../../src/index.ts';
import { readCountsSubjects, summarizeCountsGroups } from '../../src/internal.ts';

// Outputs of the tools themselves. `tools/goldens/load-tools` has the programs that made them.

const golden = (name: string): Buffer => readFileSync(new URL(`goldens/${name}`, import.meta.url));
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

const ALL = { by: [], where: {}, significantDigits: 3 };

interface FioLatency {
  readonly min: number;
  readonly max: number;
  readonly mean: number;
  readonly N: number;
  readonly percentile?: Readonly<Record<string, number>>;
}

describe('the JSON of fio 3.33', () => {
  const file = golden('fio-3.33.json');
  const report = JSON.parse(String(file));

  test('is recognised, also below what fio says about its options', () => {
    expect(recogniseInput(file)).toBe('fio json');
    expect(recogniseInput(`note: both iodepth >= 1 and synchronous I/O engine are selected\n${file}`)).toBe(
      'fio json',
    );
    expect(recogniseInput(`${file}`.replace('"fio version"', '"version"'))).toBe('json');
  });

  test('has the counts, the extremes and the percentiles that fio states', async () => {
    const percentiles = [1, 50, 90, 99, 99.99];
    const groups = await summarizeCountsGroups('fio json', file, { ...ALL, percentiles }, {});
    expect(groups.map(({ labels }) => Object.values(labels).join(' '))).toEqual([
      ...['read clat', 'read lat', 'write clat', 'write lat'].map((one) => `mixed ${one}`),
      ...['write clat', 'write lat', 'sync lat'].map((one) => `logged ${one}`),
    ]);
    for (const { labels, figures } of groups) {
      const job = report.jobs.find((one: { jobname: string }) => one.jobname === labels.job);
      const stated: FioLatency = job[labels.op!][`${labels.latency}_ns`];
      expect(figures.count).toBe(stated.N);
      expect([figures.min.lower, figures.max.upper]).toEqual([stated.min / 1e6, stated.max / 1e6]);
      expect(figures.mean.lower).toBeLessThanOrEqual(stated.mean / 1e6);
      expect(figures.mean.upper).toBeGreaterThanOrEqual(stated.mean / 1e6);
      for (const { percentile, lower, upper } of figures.percentiles) {
        // fio states the middle of the slot, also for the extremes, which are known.
        const middle = stated.percentile![percentile.toFixed(6)]! / 1e6;
        for (const end of [lower, upper])
          expect(Math.abs(end - middle)).toBeLessThanOrEqual(middle / 128 + 1e-9);
        // A slot is a 64th of its lower bound wide.
        expect(upper - lower).toBeLessThanOrEqual(lower / 64 + 1e-9);
      }
    }
  });

  test('is grouped by its labels, and never adds up two kinds of latency', async () => {
    const by = (keys: readonly string[], where = {}) =>
      summarizeCountsGroups('fio json', file, { ...ALL, by: keys, where, percentiles: [50] }, {});
    expect((await by(['op'])).map(({ labels, figures }) => [labels, figures.count])).toEqual(
      await Promise.all(
        ['read clat', 'read lat', 'write clat', 'write lat', 'sync lat'].map(async (words) => {
          const [op, latency] = words.split(' ') as [string, string];
          const parts = (await readCounts('fio json', file)).filter(
            ({ labels }) => labels.op === op && labels.latency === latency,
          );
          return [{ op, latency }, parts.reduce((sum, { counts }) => sum + counts.totalCount, 0)];
        }),
      ),
    );
    expect((await by([], { op: 'sync' })).map(({ labels }) => labels.job)).toEqual(['logged']);
    await expect(by(['operation'])).rejects.toThrow(
      'the values have no label operation: there are job, op, latency',
    );
  });

  test('is judged within the bounds of its slots', async () => {
    for (const { name, evidence } of await readCountsSubjects('fio json', file, { name: 'fio.json' })) {
      if (typeof evidence === 'string') throw new Error(evidence);
      expect(name).toMatch(/^fio\.json (?:mixed|logged) (?:read|write|sync) c?lat$/);
      const { lower, upper } = evidence.percentile(50) as { lower: number; upper: number };
      const { lower: least, upper: most } = evidence.within((lower + upper) / 2);
      expect(least).toBeLessThan(most);
    }
  });
});

describe('the counts of fio by intervals', () => {
  const file = golden('fio-3.33_clat_hist.log');

  test('are recognised, and are part of what fio counts over the whole run', async () => {
    expect(recogniseInput(file)).toBe('fio histograms');
    const whole = await readCounts('fio json', golden('fio-3.33.json'));
    const found = await readCounts('fio histograms', file);
    expect(found.map(({ labels }) => labels.op)).toEqual(['read', 'write']);
    for (const { labels, counts } of found) {
      const all = whole.find((one) => one.labels.op === labels.op && one.labels.latency === 'clat')!.counts;
      const columns = String(file)
        .split('\n')
        .filter((line) => line.split(',')[1]?.trim() === (labels.op === 'read' ? '0' : '1'))
        .map((line) => line.split(',').slice(3).map(Number));
      expect(counts.totalCount).toBe(columns.flat().reduce((sum, count) => sum + count, 0));
      for (let slot = 0; slot < counts.layout.slotCount; slot++)
        expect(counts.counts.at(slot)).toBeLessThanOrEqual(all.counts.at(slot));
    }
  });

  test('are known by stretches of time, which say how dependent they are', async () => {
    // Intervals of seconds.
    const slow = bytes(String(file).replace(/^\d+/gm, (ms) => `${ms}0`));
    for (const { counts, stretches = [] } of await readCounts('fio histograms', slow)) {
      expect(stretches.length).toBe(2);
      expect(stretches.reduce((sum, { totalCount }) => sum + totalCount, 0)).toBe(counts.totalCount);
    }
    for (const { evidence } of await readCountsSubjects('fio histograms', slow, { name: 'x' }))
      expect(typeof evidence === 'string' || evidence.sample(50, 0.99).pieces).toBeGreaterThan(0);
  });

  test('that log_hist_coarseness joins have slots that are as much wider', async () => {
    const coarse = golden('fio-3.33_coarse_clat_hist.log');
    expect(recogniseInput(coarse)).toBe('fio histograms');
    const [{ counts } = { counts: undefined }] = await readCounts('fio histograms', coarse);
    expect(counts?.layout.slotCount).toBe(1856 / 8 + 1);
    expect([counts?.layout.lower(2), counts?.layout.upper(2)]).toEqual([8, 16]);
  });

  test('in the last slot have no end, so they are not judged', async () => {
    const line = (counts: readonly number[]) => `1000, 0, 4096, ${counts.join(', ')}\n`;
    const last = Array.from({ length: 1856 }, (_, at) => (at === 1855 ? 2 : 0));
    const groups = await summarizeCountsGroups(
      'fio histograms',
      bytes(line(last)),
      { ...ALL, percentiles: [50] },
      {},
    );
    expect(groups[0]?.figures.max).toEqual({
      lower: (2 ** 34 - 2 ** 27) / 1e6,
      upper: Number.POSITIVE_INFINITY,
    });
    const [subject] = await readCountsSubjects('fio histograms', bytes(line(last)), { name: 'x' });
    expect(subject?.evidence).toMatch(
      /2 values are in a slot without a bound above \d+, and nothing states the largest/,
    );
  });

  test.each([
    [
      'with another number of slots',
      '1, 0, 4096, 1, 2\n',
      /line 1 must have the counts of all slots of fio 3/,
    ],
    ['of fio 2', `1, 0, 4096${', 1'.repeat(1216)}\n`, /line 1 must have the counts of all slots of fio 3/],
    [
      'of no direction',
      `1, 3, 4096${', 1'.repeat(1856)}\n`,
      /line 1 must have a time, a direction from 0 to 2/,
    ],
    ['below 0', `1, 0, 4096${', -1'.repeat(1856)}\n`, /line 1 must have a time, a direction from 0 to 2/],
    ['cut short', `${file}`.slice(0, -40), /line \d must have the counts of all slots of fio 3/],
  ])('%s are refused', async (_, text, message) => {
    await expect(readCounts('fio histograms', bytes(text))).rejects.toThrow(message);
  });
});

test('every nanosecond has its slot of fio, and every slot the number that fio writes for it', async () => {
  // Source: fio, `plat_val_to_idx` and `plat_idx_to_val`, with integers of 64 bits.
  const indexOf = (value: bigint): number => {
    const msb = value === 0n ? 0 : value.toString(2).length - 1;
    if (msb <= 6) return Number(value);
    const bits = BigInt(msb - 6);
    return Math.min(Number(((bits + 1n) << 6n) + (63n & (value >> bits))), 1855);
  };
  const keyOf = (index: number): bigint => {
    if (index < 128) return BigInt(index);
    const bits = BigInt((index >> 6) - 1);
    return (1n << (bits + 6n)) + ((BigInt(index % 64) * 2n + 1n) * (1n << bits)) / 2n;
  };
  await fc.assert(
    fc.asyncProperty(fc.bigInt({ min: 0n, max: 2n ** 36n }), async (value) => {
      const index = indexOf(value);
      const latency = `{"min":${value},"max":${value},"bins":{"${keyOf(index)}":1}}`;
      const report = `{"fio version":"fio-3.33","jobs":[{"jobname":"j","read":{"clat_ns":${latency}}}]}`;
      const [{ counts } = { counts: undefined }] = await readCounts('fio json', bytes(report));
      expect(counts?.counts.first).toBe(index + 1);
      expect(counts?.countAt(Number(value))).toBe(1);
    }),
  );
});

const fioReport = (clat: string): string =>
  `{"fio version":"fio-3.33","jobs":[{"jobname":"j","read":{"clat_ns":${clat}}}]}`;

test.each([
  [
    'without bins',
    fioReport('{"min":1,"max":1,"N":1}'),
    /percentiles without counts: --output-format=json\+ writes all counts/,
  ],
  [
    'with a number that is no slot',
    fioReport('{"min":1,"max":1,"bins":{"130":1}}'),
    /must have the numbers that fio writes for its slots, in nanoseconds, got "130"/,
  ],
  [
    'with a slot of 2^63',
    fioReport('{"min":1,"max":1,"bins":{"9223372036854775808":1}}'),
    /got "9223372036854775808"/,
  ],
  [
    'with a count of 2^63',
    fioReport('{"min":1,"max":1,"bins":{"1":9223372036854775808}}'),
    /bins\["1"\] must be an integer from 0 to 2\^53 - 1/,
  ],
  [
    'in another unit',
    fioReport('{"min":0.001,"max":0.001,"bins":{"1":1}}'),
    /minimum and maximum in the slots of its lowest and highest value/,
  ],
  [
    'whose counts contradict each other',
    fioReport('{"min":1,"max":1,"N":2,"bins":{"1":1}}'),
    /must have as many values as its bins, got 2 and 1/,
  ],
  ['that is cut short', String(golden('fio-3.33.json')).slice(0, 9000), /the text is not JSON/],
  ['that is a page', '<html><body>502</body></html>', /the text is not JSON/],
])('a report of fio %s is refused in one sentence', async (_, text, message) => {
  await expect(readCounts('fio json', bytes(text), { name: 'fio.json' })).rejects.toThrow(message);
  await expect(readCounts('fio json', bytes(text), { name: 'fio.json' })).rejects.toThrow(
    /^fio\.json: [^\n]+$/,
  );
});

describe('the JSON of Locust 2.47.0', () => {
  const file = golden('locust-2.47.0.json');
  /** The durations that the program in `tools/goldens/load-tools` gives to Locust, in nanoseconds. */
  const durations = { '/a': [] as number[], '/b, or': [] as number[] };
  let state = 1;
  for (let i = 0; i < 5000; i++) {
    state = (state * 48_271) % 2_147_483_647;
    durations[i % 3 ? '/a' : '/b, or'].push(Math.exp((9.9 * state) / 2_147_483_647));
  }

  test('is recognised, and counts each duration in the slot that has it', async () => {
    expect(recogniseInput(file)).toBe('locust json');
    const found = await readCounts('locust json', file);
    expect(found.map(({ labels }) => labels)).toEqual([
      { method: 'GET', name: '/b, or' },
      { method: 'GET', name: '/a' },
    ]);
    for (const { labels, counts, errors, min, max } of found) {
      const known = durations[labels.name as '/a'];
      expect(counts.totalCount).toBe(known.length);
      expect(errors).toMatchObject({ requests: known.length, failed: labels.name === '/a' ? 33 : 17 });
      expect([min, max]).toEqual([Math.min(...known) * 1e6, Math.max(...known) * 1e6]);
      // The number of values up to the end of each slot.
      for (let slot = 0, sum = 0; slot < counts.layout.slotCount - 1; slot++) {
        sum += counts.counts.at(slot);
        expect(sum).toBe(known.filter((ms) => ms * 1e6 <= counts.layout.upper(slot)).length);
      }
    }
  });

  test('has the failed requests of all rows', async () => {
    const [all] = await summarizeCountsGroups(
      'locust json',
      file,
      { ...ALL, by: ['method'], percentiles: [99] },
      {},
    );
    expect(all).toMatchObject({ labels: { method: 'GET' }, errors: { failed: 50, requests: 5000 } });
  });

  test.each([
    [
      'with another rounding',
      /"response_times": \{\s*"\d+"/,
      '"response_times": {"147"',
      /must be a duration in milliseconds as Locust rounds it/,
    ],
    [
      'with fewer durations',
      /"num_requests": 1667/,
      '"num_requests": 1668',
      /must have 1668 durations, as many as requests, got 1667/,
    ],
    [
      'with a maximum of another unit',
      /"max_response_time": [\d.]+/,
      '"max_response_time": 19.7',
      /must have its minimum and maximum in the slots/,
    ],
  ])('is refused %s', async (_, found, by, message) => {
    await expect(readCounts('locust json', bytes(String(file).replace(found, by)))).rejects.toThrow(message);
  });
});
