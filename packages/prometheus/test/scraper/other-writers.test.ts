import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { exponentialLayout } from '@hdrscope/core';
import type { ExpositionFormat } from '../../src/index.ts';
import { readExposition, type ScrapedFamily, type ScrapedHistograms } from '../../src/scraper/index.ts';

// What the client libraries for Go, Java, Python and Rust expose for known values: see tools/expositions.
const FOLDER = join(import.meta.dirname, '../fixtures/expositions');
const FILES = readdirSync(FOLDER).sort();

function read(file: string): ScrapedHistograms {
  return readExposition(readFileSync(join(FOLDER, file)), file.split('.')[1] as ExpositionFormat);
}

/** The values that every program observes: thousandths from 0 to 4.999. */
function knownValues(): number[] {
  let state = 42n;
  return Array.from({ length: 2000 }, () => {
    state = (state * 1_103_515_245n + 12_345n) % 2_147_483_648n;
    return Number((state / 65_536n) % 5000n) / 1000;
  });
}

const VALUES = knownValues();
const BOUNDS = [0.005, 0.1, 0.25, 0.5, 1, 2.5];
const ofRoute = (route: number): number[] => VALUES.filter((_, i) => i % 2 === route);

/** The values in each explicit bucket, counted one by one. */
function classicCounts(values: readonly number[]): number[] {
  const limits = [...BOUNDS, Number.POSITIVE_INFINITY];
  return limits.map(
    (limit, i) => values.filter((value) => value <= limit && value > (limits[i - 1] ?? -1)).length,
  );
}

/** The values in each native bucket by its upper bound, counted one by one; those of the zero bucket by 0. */
function nativeCounts(
  values: readonly number[],
  scale: number,
  zeroThreshold: number,
): Record<string, number> {
  const base = 2 ** (2 ** -scale);
  const counts: Record<string, number> = {};
  for (const value of values) {
    // The bucket of a value ends at the first power of the base that is not below it.
    const index = Math.ceil(Math.log(value) / Math.log(base) - 1e-9);
    const key = value <= zeroThreshold ? '0' : (base ** index).toPrecision(9);
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}

function countsByUpper({ histograms }: ScrapedFamily, at: number): Record<string, number> {
  const { layout, counts } = histograms[at]!.counted as ReturnType<typeof readNative>;
  return Object.fromEntries(
    Array.from(
      { length: layout.slotCount },
      (_, slot) =>
        [slot === layout.zeroSlot ? '0' : layout.upper(slot).toPrecision(9), counts.at(slot)] as const,
    ).filter(([, count]) => count > 0),
  );
}

const readNative = (counted: ScrapedFamily['histograms'][number]['counted']) => ({
  ...counted,
  layout: counted.layout as ReturnType<typeof exponentialLayout>,
});

const familyOf = ({ families }: ScrapedHistograms, name: string): ScrapedFamily =>
  families.find((family) => family.name === name || family.name === `${name}_seconds`)!;

test('the files are those of four libraries, in all formats', () => {
  expect(FILES).toHaveLength(10);
});

test.each(FILES)('%s: classic buckets have the counts of the values', (file) => {
  const { name, unit, histograms } = familyOf(read(file), 'classic');
  expect([name.startsWith('classic'), unit]).toEqual([true, 's']);
  expect(histograms).toHaveLength(2);
  for (const { labels, counted, sum } of histograms) {
    const values = ofRoute(labels.route === '/a' ? 0 : 1);
    if (!file.startsWith('rust')) expect(['/a', '/b "quoted"\\\n']).toContain(labels.route);
    expect(counted.layout).toMatchObject({ edges: BOUNDS });
    expect([0, 1, 2, 3, 4, 5, 6].map((slot) => counted.counts.at(slot))).toEqual(classicCounts(values));
    expect(sum).toBeCloseTo(
      values.reduce((total, value) => total + value, 0),
      6,
    );
  }
});

const NATIVE_FILES = FILES.filter((file) => /protobuf|openmetrics2/.test(file));

test.each(NATIVE_FILES.flatMap((file) => ['native', 'both', 'few'].map((name) => [file, name] as const)))(
  '%s: native buckets of %s have the counts of the values',
  (file, name) => {
    const family = familyOf(read(file), name);
    expect(family.histograms).toHaveLength(2);
    for (const at of [0, 1]) {
      const { labels, counted } = family.histograms[at]!;
      const { layout } = readNative(counted);
      expect(layout.kind).toBe('exponential');
      const values = ofRoute(labels.route === '/a' ? 0 : 1);
      expect(countsByUpper(family, at)).toEqual(nativeCounts(values, layout.scale, layout.zeroThreshold));
    }
  },
);

test.each(FILES.filter((file) => !file.startsWith('rust')))(
  '%s: a summary is left out, and nothing else but native buckets in text',
  (file) => {
    const reasons = read(file).refusals.map(({ family, reason }) => [family.replace('_seconds', ''), reason]);
    const isNative = NATIVE_FILES.includes(file);
    expect(new Set(reasons.map(([, reason]) => reason))).toEqual(new Set(['unsupported']));
    const names = new Set(reasons.map(([name]) => name));
    expect(names.has('summary')).toBe(true);
    if (isNative || file.startsWith('python')) expect(names.size).toBe(1);
    else expect(names.has('native')).toBe(true);
  },
);

test('Go: values that are negative, infinite, or not numbers', () => {
  const scraped = read('go.protobuf.bin');
  const signed = familyOf(scraped, 'signed').histograms[0]!;
  const negative = VALUES.filter((value) => value - 2 < -0.001).length;
  const { layout, counts } = readNative(signed.counted);
  let below = 0;
  for (let slot = 0; slot < layout.zeroSlot; slot++) below += counts.at(slot);
  expect([below, counts.total]).toEqual([negative, 2000]);
  const special = familyOf(scraped, 'special').histograms[0]!;
  const { layout: wide, counts: all } = readNative(special.counted);
  expect(special).toMatchObject({ sum: undefined, rejected: { notANumber: 1 } });
  // Two infinite values above, one below, and 5e-324 in the zero bucket.
  expect([all.total, all.at(wide.slotCount - 1), all.at(0), all.at(wide.zeroSlot)]).toEqual([6, 2, 1, 1]);
});

test('Go: a histogram without values has no counts, and begins with its first ones', () => {
  const { histograms } = familyOf(read('go.protobuf.bin'), 'empty');
  expect(histograms[0]!.counted.counts.total).toBe(0);
});

test('starts and exemplars are read where a library writes them', () => {
  for (const file of [
    'go.protobuf.bin',
    'go.openmetrics.txt',
    'java.openmetrics2.txt',
    'python.openmetrics.txt',
  ]) {
    const { createdMs } = familyOf(read(file), 'classic').histograms[0]!;
    expect([file, new Date(createdMs!).getUTCFullYear()]).toEqual([file, 2026]);
  }
  const { exemplars } = familyOf(read('python.openmetrics.txt'), 'classic').histograms[0]!;
  expect(exemplars.map(({ attributes }) => attributes.trace_id)).toContain('abc#1');
});
