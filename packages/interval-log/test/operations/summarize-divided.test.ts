import { DoubleHistogram, Histogram } from '@hdrscope/core';
import { formatInterval, type LogSource, type LogSummary, summarizeLogs } from '@hdrscope/interval-log';
import {
  type LogDivision,
  type LogPart,
  summarizeDividedLogs,
  summarizePart,
} from '@hdrscope/interval-log/internal';
import { caseCount } from '@hdrscope/testing/case-count';
import fc from 'fast-check';
import { bytes } from '../support/read.ts';
import { logText, type Written } from './support/logs.ts';

type Options = Omit<NonNullable<Parameters<typeof summarizeLogs>[1]>, 'onMalformed'>;

/** Divides a log at positions. Other threads have the parts from one on; what they hand over goes through a message. */
function divide(log: Uint8Array, ends: readonly number[], firstAway: number, taken: LogPart[] = []) {
  const starts = [0, ...ends];
  const parts = starts.map((start, at) => log.subarray(start, ends[at]));
  let answers: Promise<LogPart | undefined>[] = [];
  const division: LogDivision = {
    parts,
    begin(question) {
      const asked = structuredClone(question);
      answers = parts.map((part) => summarizePart(part, asked, () => {}));
    },
    async take(part) {
      const answer = part < firstAway ? undefined : await answers[part];
      if (answer !== undefined) taken.push(answer);
      return answer && structuredClone(answer);
    },
    close() {},
  };
  return async () => division;
}

/** All that a summary says, with the malformed lines, or the error in its place. */
async function describeSummary(
  summarize: (
    onMalformed: (line: { lineNumber: number; error: Error }, from: LogSource) => void,
  ) => Promise<LogSummary>,
  source: LogSource,
): Promise<object> {
  const malformed: unknown[] = [];
  try {
    const { startSec, tags } = await summarize(({ lineNumber, error }, from) => {
      expect(from).toBe(source);
      malformed.push([lineNumber, error.message, { ...(error as { details?: object }).details }]);
    });
    return {
      startSec,
      malformed,
      tags: tags.map(({ tag, intervals, startSec, endSec, sum, histogram }) => ({
        ...{ tag, intervals, startSec, endSec, count: sum.totalCount, widened: sum.widenedCount },
        ...{ all: [...sum.intervals()], min: sum.min, mean: sum.mean, max: sum.max },
        ...{ layouts: sum.layouts.map((layout) => layout.slotCount), encoded: histogram.toBase64() },
        ...{ startTimeMs: histogram.startTimeMs, endTimeMs: histogram.endTimeMs, ofTag: histogram.tag },
      })),
    };
  } catch (error) {
    return { error: String(error), malformed };
  }
}

/** Expects that a divided log has the summary of the whole one. Returns the parts that others have summarised. */
async function expectAlike(
  log: Uint8Array,
  ends: readonly number[],
  { firstAway = 1, ...options }: Options & { readonly firstAway?: number } = {},
): Promise<LogPart[]> {
  const taken: LogPart[] = [];
  const whole = await describeSummary(
    (onMalformed) => summarizeLogs([log], { ...options, onMalformed }),
    log,
  );
  const divided = await describeSummary(
    (onMalformed) =>
      summarizeDividedLogs([log], { ...options, onMalformed }, divide(log, ends, firstAway, taken)),
    log,
  );
  expect(divided).toEqual(whole);
  return taken;
}

/** Where a log may be divided: after any newline before ASCII. */
function listEnds(log: Uint8Array): number[] {
  const ends: number[] = [];
  for (let at = 1; at < log.length; at++) {
    const isText = log.subarray(at, at + 4).every((byte) => byte > 8 && byte < 127);
    if (log[at - 1] === 10 && isText) ends.push(at);
  }
  return ends;
}

const HIGHEST = [4095, 1_000_000, 3_600_000_000, 3_600_000_001];

const interval = fc
  .record({
    tag: fc.constantFrom(undefined, 'get', 'put', ''),
    at: fc.constantFrom(0, 1.5, 12.25, 1_700_000_000.123, -3),
    length: fc.constantFrom(0, 1, 2.5),
    digits: fc.constantFrom<(1 | 2 | 3)[]>(3, 3, 3, 3, 3, 3, 2),
    highest: fc.constantFrom(...HIGHEST),
    isDouble: fc.integer({ max: 60, min: 0 }).map((n) => n === 60),
    values: fc.array(fc.nat(4095), { maxLength: 4 }),
    count: fc.constantFrom(1, 1, 1, 1, 1, 1, 1, 2 ** 52),
  })
  .map(({ tag, at, length, digits, highest, isDouble, values, count }) => {
    const histogram = isDouble
      ? new DoubleHistogram({ significantDigits: digits })
      : new Histogram({ highestTrackableValue: highest, significantDigits: digits });
    for (const value of values)
      if (histogram.totalCount + count <= 2 ** 53 - 1) histogram.record(value, count);
    return formatInterval(histogram, { tag, startSec: at, endSec: at + length, valueScale: 1 });
  });

const damaged = fc.oneof(
  fc
    .tuple(interval, fc.nat(200), fc.constantFrom('', '!', ',', '\r', '\u0000', 'é'))
    .map(([line, at, text]) => line.slice(0, at) + text + line.slice(at + 1)),
  fc.constantFrom(
    'nonsense\n',
    '\n',
    '1,2,x,HISTF\n',
    'Tag=get,1,2,3,HISTFAAAA\n',
    '#note\n',
    '1,2\r',
    '\ufeff\n',
  ),
);
const header = fc.constantFrom(
  '#[StartTime: 1700000000.5 (seconds)]\n',
  '#[BaseTime: 1600000000 (seconds)]\n',
  '#[StartTime: x]\n',
);

const anyLog = fc
  .array(
    fc.oneof(
      { arbitrary: interval, weight: 20 },
      { arbitrary: damaged, weight: 2 },
      { arbitrary: header, weight: 1 },
    ),
    { maxLength: 30 },
  )
  .chain((lines) => fc.tuple(fc.constantFrom('', '#[StartTime: 1441812279.474 (s)]\n'), fc.constant(lines)))
  .map(([first, lines]) => bytes(first + lines.join('')));

const anyOptions: fc.Arbitrary<Options> = fc.record(
  {
    time: fc.constantFrom('java', 'plain', 'strict'),
    tags: fc.constantFrom([undefined], ['get', 'put']),
    since: fc.constantFrom({ offsetSec: 1 }, { epochSec: 1_600_000_000 }),
    until: fc.constantFrom({ offsetSec: 12 }, { epochSec: 1_700_000_001 }),
    maxTags: fc.constantFrom(1, 2, 100),
    maxMalformed: fc.constantFrom(1, 2, 100),
    maxLineBytes: fc.constantFrom(100, 1000),
  },
  { requiredKeys: [] },
);

test('a divided log, damaged or not, has the summary of the whole one wherever it is divided', async () => {
  let takenParts = 0;
  await fc.assert(
    fc.asyncProperty(
      anyLog,
      anyOptions,
      fc.infiniteStream(fc.boolean()),
      fc.nat(3),
      async (log, options, chosen, firstAway) => {
        const ends = listEnds(log).filter(() => chosen.next().value);
        takenParts += (await expectAlike(log, ends, { ...options, firstAway })).length;
      },
    ),
    { numRuns: caseCount(300, 20_000) },
  );
  expect(takenParts).toBeGreaterThan(100);
});

const MANY: Written[] = Array.from({ length: 40 }, (_, at) => ({
  tag: at % 7 === 0 ? 'rare' : undefined,
  at: 10 * at,
  values: [at, 2 * at],
}));

test('other threads summarise all parts after the first, and count damage in them', async () => {
  const text = `${logText(MANY, { start: 1_500_000_000, base: 1_500_000_000 })}5,1,0,HISTFAAAno\nnonsense\n`;
  const log = bytes(text);
  const ends = listEnds(log).filter((_, at) => at % 10 === 9);
  const taken = await expectAlike(log, ends);
  expect(taken.length).toBe(ends.length);
  expect(taken.map(({ malformed, malformedCount }) => [malformed.length, malformedCount]).at(-1)).toEqual([
    2, 1,
  ]);
});

test('a part after a later start time is read after all that stands above it', async () => {
  const restarted = [MANY.slice(0, 9), MANY.slice(9)].map((some, run) =>
    logText(some, { start: 1_500_000_000 + run }),
  );
  const log = bytes(restarted.join(''));
  const ends = listEnds(log);
  const taken = await expectAlike(log, ends);
  expect(taken.length).toBeLessThan(10);
});

/** The line of an interval of one value. */
function writeLine(histogram: Histogram | DoubleHistogram, value: number, count = 1): string {
  histogram.record(value, count);
  return formatInterval(histogram, { startSec: 1, endSec: 2, valueScale: 1 });
}

const integer = (count?: number): string =>
  writeLine(new Histogram({ highestTrackableValue: 4095 }), 7, count);
const double = (): string => writeLine(new DoubleHistogram({ significantDigits: 2 }), 1.5);
const coarse = (): string =>
  writeLine(new Histogram({ highestTrackableValue: 4095, significantDigits: 1 }), 4000);

test.each([
  ['doubles', [double()], [double()]],
  ['doubles among integers', [integer()], [integer(), double()]],
  ['integers after doubles', [double()], [integer()]],
  ['layouts that follow each other', [integer()], [integer(), coarse(), integer()]],
  ['too many values', [integer()], [integer(), integer(2 ** 52), integer(2 ** 52)]],
  ['too many values with those above', [integer(2 ** 52)], [integer(2 ** 52)]],
])('%s are read after all that stands above them', async (_, above, part) => {
  const [first, second] = [above.join(''), part.join('')];
  await expectAlike(bytes(first + second), [first.length]);
});

test('the first layout of a tag is that of its first interval, wherever it is', async () => {
  for (const part of [[coarse(), integer(), integer()], [coarse()], [integer(), coarse()]]) {
    const taken = await expectAlike(bytes(integer() + part.join('')), [integer().length]);
    expect(taken.length).toBe(1);
  }
});
