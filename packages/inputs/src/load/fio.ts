import { explicitLayout, HdrscopeError, type Layout, LayoutHistogram } from '@hdrscope/core';
import {
  asArray,
  asCount,
  asFinite,
  asObject,
  asText,
  Budget,
  isObject,
  type JsonObject,
  parseJson,
} from '@hdrscope/kit';
import { named, type ReadLinesOptions, readLines, readText, refuseLine, type TextBytes } from '../bytes.ts';
import { readExtremes } from './extremes.ts';
import type { CountsReader, LabelledCounts } from './load.ts';
import { valueStretches } from './value-stretches.ts';

// fio counts nanoseconds. Source: fio, `stat.h` and `stat.c`, `plat_val_to_idx` and `plat_idx_to_val`: 29 groups of 64 slots. The slots of
// the first two groups are a nanosecond wide, and those of each later one twice as wide as those before:
//
//   slot        0 … 127   128 … 191   192 … 255   …   1792 … 1855
//   lower bound 0 … 127   128 … 254   256 … 508   …   8,589,934,592 …
//   width       1         2           4           …   134,217,728; the last slot has no end
const BITS = 6;
const PER_GROUP = 2 ** BITS;
const SLOTS = 29 * PER_GROUP;

function lowerBound(slot: number): number {
  const shift = Math.max(0, Math.floor(slot / PER_GROUP) - 1);
  return (slot - shift * PER_GROUP) * 2 ** shift;
}

/** The number that fio writes for a slot: its middle. */
function keyOfSlot(slot: number): number {
  const lower = lowerBound(slot);
  const width = lowerBound(slot + 1) - lower;
  return width === 1 ? lower : lower + width / 2;
}

/** The slot that fio writes as a number; -1 for other numbers. */
function slotOfKey(key: number): number {
  if (!Number.isSafeInteger(key) || key < 0) return -1;
  const shift = Math.max(0, Math.floor(Math.log2(Math.max(1, key))) - BITS);
  const slot = shift * PER_GROUP + Math.floor(key / 2 ** shift);
  return slot < SLOTS && keyOfSlot(slot) === key ? slot : -1;
}

const layouts = new Map<number, Layout>();

/** The layout of fio. @param joined How many slots are one, as `log_hist_coarseness` joins them. */
function fioLayout(joined = 1): Layout {
  let layout = layouts.get(joined);
  if (layout === undefined) {
    // The slot below 0 is empty, and the last one is open.
    layout = explicitLayout(
      Array.from({ length: SLOTS / joined }, (_, at) => lowerBound(at * joined)),
      'lower',
    );
    layouts.set(joined, layout);
  }
  return layout;
}

// JSON.

/** `fio --output-format=json+`, and without the plus, which has no counts. */
const JSON_MARK = /^(?:(?:fio|note|clock)[^\n]{0,1000}\n){0,20}\s*\{\s*"fio version"\s*:/;
/** Has no JSON within it. */
const HEAD = /^[^{]{0,20000}/;
const LIMITS = { elements: 2_000_000, depth: 30 };
// With unified_rw_reporting, all operations are mixed.
const OPERATIONS = ['read', 'write', 'trim', 'sync', 'mixed'];
const LATENCIES = ['slat', 'clat', 'lat'];

/** The readers of the outputs of fio that have all counts. */
export const FIO_COUNTS: Readonly<Record<'fio json' | 'fio histograms', CountsReader>> = {
  'fio json': { mark: JSON_MARK, tool: 'fio', apart: 'latency', read: readFioJson },
  // Source: fio, `log_hist_msec`: milliseconds, direction, block size, and the counts of each slot in the interval.
  'fio histograms': {
    mark: /^\d{1,16}, ?[0-2], ?\d{1,12}(?:(?:, ?\d{1,20}){58}){1,32}\r?\n/,
    tool: 'fio',
    read: readFioHistograms,
  },
};

async function readFioJson(bytes: TextBytes, options: ReadLinesOptions): Promise<LabelledCounts[]> {
  const { name = 'the text' } = options;
  const text = await readText(bytes, 'a report of fio', options);
  try {
    const document = asObject(
      parseJson(text.replace(HEAD, ''), 'the text', new Budget('the text', LIMITS)),
      'the report',
    );
    const jobs = asArray(document.jobs ?? document.client_stats, 'jobs');
    const found = jobs.flatMap((job, at) => readJob(asObject(job, `jobs[${at}]`), `jobs[${at}]`));
    if (found.length > 0) return found;
    throw new HdrscopeError(
      'ERR_DECODE',
      'the report of fio has percentiles without counts: --output-format=json+ writes all counts',
    );
  } catch (error) {
    throw named(error, name);
  }
}

function readJob(job: JsonObject, where: string): LabelledCounts[] {
  const jobName = asText(job.jobname, `${where}.jobname`);
  // With several clients, fio appends their sum.
  if (jobName === 'All clients') return [];
  return OPERATIONS.flatMap((op) =>
    LATENCIES.flatMap((latency) => {
      const field = `${where}.${op}.${latency}_ns`;
      const operation = job[op];
      const values = isObject(operation) ? operation[`${latency}_ns`] : undefined;
      if (!isObject(values) || values.bins === undefined) return [];
      const { min, max, N } = values;
      const counts = readBins(asObject(values.bins, `${field}.bins`), `${field}.bins`);
      if (counts.totalCount === 0) return [];
      if (N !== undefined && asCount(N, `${field}.N`) !== counts.totalCount) {
        const message = `${field} must have as many values as its bins, got ${N} and ${counts.totalCount}`;
        throw new HdrscopeError('ERR_DECODE', message);
      }
      const labels = { job: jobName, op, latency };
      return [
        {
          labels,
          counts,
          ...readExtremes(counts, asFinite(min, `${field}.min`), asFinite(max, `${field}.max`), field),
        },
      ];
    }),
  );
}

function readBins(bins: JsonObject, where: string): LayoutHistogram {
  const counts = new LayoutHistogram(fioLayout(), { storage: 'sparse' });
  for (const [key, value] of Object.entries(bins)) {
    // Only digits: a number in another notation is of no fio.
    const slot = /^\d{1,15}$/.test(key) ? slotOfKey(Number(key)) : -1;
    if (slot === -1) {
      const message = `${where} must have the numbers that fio writes for its slots, in nanoseconds, got ${JSON.stringify(key)}`;
      throw new HdrscopeError('ERR_DECODE', message);
    }
    counts.record(lowerBound(slot), asCount(value, `${where}["${key}"]`));
  }
  return counts;
}

// Logs of histograms.

const DIRECTIONS = ['read', 'write', 'trim'];

async function readFioHistograms(bytes: TextBytes, options: ReadLinesOptions): Promise<LabelledCounts[]> {
  const { name = 'the text', onBadLine = refuseLine } = options;
  const sums = new Map<string, { counts: LayoutHistogram; stretches: ReturnType<typeof valueStretches> }>();
  let joined: number | undefined;
  await readLines(bytes, options, (line, lineNumber) => {
    const refuse = (what: string): void =>
      onBadLine({ lineNumber, message: `${name}: line ${lineNumber} must have ${what}` });
    const cells = line.split(',');
    const numbers = cells.map((cell) => (/^ ?\d{1,15}$/.test(cell) ? Number(cell) : Number.NaN));
    const [timeMs = Number.NaN, direction = Number.NaN] = numbers;
    const each = SLOTS / (numbers.length - 3);
    if (!Number.isInteger(Math.log2(each)) || each > 32 || (joined ?? each) !== each) {
      refuse('the counts of all slots of fio 3, which are 1856, as many in each line');
      return;
    }
    const op = DIRECTIONS[direction];
    if (op === undefined || numbers.some(Number.isNaN)) {
      refuse('a time, a direction from 0 to 2, a block size and counts');
      return;
    }
    joined = each;
    let sum = sums.get(op);
    if (sum === undefined) {
      sum = { counts: new LayoutHistogram(fioLayout(each)), stretches: valueStretches() };
      sums.set(op, sum);
    }
    const { counts, stretches } = sum;
    const stretch = stretches.at(timeMs / 1000);
    for (let at = 3; at < numbers.length; at++) {
      const count = numbers[at]!;
      if (count === 0) continue;
      counts.record(lowerBound((at - 3) * each), count);
      stretch.record(Math.round(counts.layout.midpoint(at - 2)), count);
    }
  });
  return [...sums]
    .filter(([, { counts }]) => counts.totalCount > 0)
    .map(([op, { counts, stretches }]) => ({ labels: { op }, counts, stretches: stretches.inOrder() }));
}
