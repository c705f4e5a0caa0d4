import { caseCount } from '@hdrscope/testing/case-count';
import { expectRefused, refusalOf } from '@hdrscope/testing/refusals';
import fc from 'fast-check';
import {
  formatHistogramDump,
  type ImportedHistogram,
  parseCounterSchema,
  parseCounters,
  parseHistogramDump,
  parseHistogramLoggers,
  parseHistogramSchema,
} from '../../src/index.ts';
import { dumpOf } from '../support/dumps.ts';

const FORMATS = ['json', 'json-pretty', 'xml', 'xml-pretty'] as const;

/** A dump whose count says which one it is, without the line end of its format. */
function dumpText(count: number, format: (typeof FORMATS)[number]): string {
  const [{ loggers }] = parseHistogramLoggers(dumpOf([0, count, 0])) as [
    ReturnType<typeof parseHistogramLoggers>[0],
  ];
  return formatHistogramDump([{ name: 'cct', counters: [] }, ...loggers], { format }).trim();
}

const TEXTS = FORMATS.map((format) => Array.from({ length: 4 }, (_, at) => dumpText(at + 1, format)));

// Some lines that `ceph`, shells and reports print.
const NOISE = [
  '# ceph daemon osd.0 perf histogram dump -f json',
  '[root@host ~]# ceph daemon osd.1 perf histogram dump',
  'osd.3: Error ENXIO: problem getting command descriptions from osd.3',
  '2026-11-27T20:00:00.123+0000 7f12 -1 WARNING: all features are enabled',
  '0',
  '],',
];
const BLANKS = ['', ' ', '\t ', '\n', '\r', '\r\n', '\n\n', '\ufeff', '\n\ufeff', '   \r\n  '];

/** A text of dumps. */
interface Joined {
  readonly text: string;
  /** Where each dump begins and ends, in bytes. */
  readonly places: readonly { readonly from: number; readonly to: number }[];
  readonly counts: readonly number[];
  readonly daemons: readonly (string | undefined)[];
  readonly hasNoise: boolean;
}

const between = fc.record({
  blanks: fc.constantFrom(...BLANKS),
  noise: fc.option(fc.constantFrom(...NOISE), { nil: undefined, freq: 4 }),
  daemon: fc.option(fc.constantFrom('osd.0', 'osd.12', 'mgr.x:0'), { nil: undefined, freq: 3 }),
});

const joined: fc.Arbitrary<Joined> = fc
  .tuple(
    fc.array(fc.tuple(fc.integer({ min: 0, max: 3 }), fc.constantFrom(...TEXTS), between), {
      minLength: 1,
      maxLength: 4,
    }),
    between,
  )
  .map(([items, last]) => {
    const places: { from: number; to: number }[] = [];
    let text = '';
    for (const [at, texts, { blanks, noise, daemon }] of items) {
      text +=
        blanks + (noise === undefined ? '' : `\n${noise}\n`) + (daemon === undefined ? '' : `${daemon}: `);
      const from = Buffer.byteLength(text);
      text += texts[at]!;
      places.push({ from, to: Buffer.byteLength(text) });
    }
    text += last.blanks + (last.noise === undefined ? '' : `\n${last.noise}\n`);
    return {
      text,
      places,
      counts: items.map(([at]) => at + 1),
      daemons: items.map(([, , { daemon }]) => daemon),
      hasNoise: [...items.map(([, , { noise }]) => noise), last.noise].some((noise) => noise !== undefined),
    };
  });

const countsOf = (histograms: readonly ImportedHistogram[]): number[] =>
  histograms.map(({ histogram }) => histogram.totalCount);

test('dumps of all formats are all read, however they are joined', () => {
  fc.assert(
    fc.property(joined, fc.boolean(), ({ text, counts, daemons, hasNoise }, lenient) => {
      const read = parseHistogramDump(text, { lenient });
      expect(countsOf(read)).toEqual(counts);
      expect(read.map(({ daemon }) => daemon)).toEqual(daemons);
      // What is skipped is said once.
      expect(read.flatMap(({ notes }) => notes)).toHaveLength(Number(hasNoise));
      const loggers = parseHistogramLoggers(text);
      expect(loggers.map((one) => one.loggers.map(({ name }) => name))).toEqual(
        counts.map(() => ['cct', 'osd']),
      );
      expect(loggers.map((one) => one.loggers[1]!.counters[0]!.histogram.totalCount)).toEqual(counts);
    }),
    { numRuns: caseCount(100, 3000) },
  );
});

function partOf(text: string, from: number, to: number): string {
  return Buffer.from(text).subarray(from, to).toString('utf8');
}

/** What is read of the bytes from one place to another: the counts, or `undefined` when they are refused. */
function readPart(text: string, from: number, to: number): number[] | undefined {
  try {
    return countsOf(parseHistogramDump(partOf(text, from, to)));
  } catch (error) {
    expect(error).toMatchObject({ code: 'ERR_DECODE' });
    return undefined;
  }
}

/** A text that is cut gives an error, or all dumps that are whole; and an error when a dump is cut. */
function expectHonest({ text, places, counts }: Joined, from: number, to: number): void {
  // A part of a dump that is an empty document is a dump of nothing.
  if (/^\s*\{\s*\}\s*$/.test(partOf(text, from, to))) return;
  const read = readPart(text, from, to);
  const isInside = (at: number): boolean => places.some((place) => place.from < at && at < place.to);
  const whole = counts.filter((_, at) => places[at]!.from >= from && places[at]!.to <= to);
  if (isInside(from) || isInside(to) || whole.length === 0)
    expect([from, to, read]).toEqual([from, to, undefined]);
  else if (read !== undefined) expect([from, to, read]).toEqual([from, to, whole]);
}

test('a text that is cut after any byte is refused, or all its whole dumps are read', () => {
  fc.assert(
    fc.property(joined, (one) => {
      for (let to = Buffer.byteLength(one.text); to >= 0; to--) expectHonest(one, 0, to);
    }),
    { numRuns: caseCount(2, 200) },
  );
});

test('a text that is cut before any byte is refused, or all its whole dumps are read', () => {
  fc.assert(
    fc.property(joined, (one) => {
      for (let from = Buffer.byteLength(one.text); from >= 0; from--)
        expectHonest(one, from, Buffer.byteLength(one.text));
    }),
    { numRuns: caseCount(2, 200) },
  );
});

test('any part of a text is refused, or all its whole dumps are read, unless it is an empty dump itself', () => {
  fc.assert(
    fc.property(joined, fc.nat(), fc.nat(), (one, a, b) => {
      const size = Buffer.byteLength(one.text) + 1;
      const [from, to] = [a % size, b % size].sort((x, y) => x - y) as [number, number];
      expectHonest(one, from, to);
    }),
    { numRuns: caseCount(200, 20_000) },
  );
});

test('other text on the line of a dump is refused, with its place', () => {
  const text = fc.stringMatching(/^[^\s"{}<>:\ufeff][^{}<>\r\n]*$/);
  fc.assert(
    fc.property(
      fc.constantFrom(...TEXTS.flat()),
      fc.constantFrom('', ' ', '\t'),
      text,
      (dump, blank, other) => {
        const { message } = refusalOf(() => parseHistogramDump(`${dump}${blank}${other}`), 'ERR_DECODE');
        expect(message).toMatch(
          /^line \d+, column \d+: the text must be blank, or another dump, here, got "/,
        );
        expectRefused(() => parseHistogramDump(`${other.replaceAll(':', ';')}${blank}${dump}`), 'ERR_DECODE');
      },
    ),
    { numRuns: caseCount(100, 2000) },
  );
});

describe.each(TEXTS.map(([dump], at) => [FORMATS[at]!, dump!]))('beside a dump in %s', (_, dump) => {
  test.each([
    ['a bracket', 'exit code: {0}'],
    ['a tag', '<html>'],
    ['the end of a dump', dump.slice(-1)],
    ['a NUL, as a file of a machine that crashed has', '\0\0\0'],
    ['a string of JSON', '"osd": 7,'],
  ])('a line with %s is refused', (__, line) => {
    for (const text of [`${line}\n${dump}`, `${dump}\n${line}\n`, `${dump}\n${line}\n${dump}`]) {
      const { message } = refusalOf(() => parseHistogramDump(text), 'ERR_DECODE');
      expect(message).toMatch(/^line \d+, column 1: the text must be a whole dump \(/);
    }
  });

  test('a name at the end is refused: its dump is cut off', () => {
    for (const name of ['osd', 'osd.1', 'osd.1:', 'osd.1: ', '\nosd.1: ']) {
      const { message } = refusalOf(() => parseHistogramDump(`${dump}\n${name}`), 'ERR_DECODE');
      expect(message).toMatch(/must be a whole dump, not a name without one/);
    }
  });

  test('other lines are noted, once for each text', () => {
    const [one] = parseHistogramDump(`${NOISE[0]}\n${dump}\nthe end\n`);
    expect(one!.notes).toEqual([
      `skipped, as it is no part of a dump: 2 lines, the first is line 1, "${NOISE[0]}"`,
    ]);
    const [two] = parseHistogramLoggers(`\n\n\u001b[31m${'x'.repeat(100)}\n${dump}`);
    expect(two!.notes).toEqual([
      `skipped, as it is no part of a dump: line 3, "\\u001b[31m${'x'.repeat(55)}…"`,
    ]);
  });
});

test.each([
  ['numbers', parseCounters, '{"osd":{"op":5}}'],
  ['schemas of numbers', parseCounterSchema, '{"osd":{"op":{"type":10}}}'],
  ['schemas of histograms', parseHistogramSchema, '{"osd":{"op":{"type":26}}}'],
])(
  '%s are read as dumps are',
  (_, parse: (text: string) => readonly { notes: readonly string[] }[], text) => {
    expect(parse(`\ufeff${text}${text}\r\n${text}`)).toHaveLength(3);
    expect(parse(`${text}\ndone\n${text}`).map(({ notes }) => notes.length)).toEqual([1, 1]);
    for (let to = text.length + 1; to < 2 * text.length; to++)
      expectRefused(() => parse((text + text).slice(0, to)), 'ERR_DECODE');
  },
);

test('two members of one name are refused: the counts of one of them would be lost', () => {
  const counter = JSON.stringify(JSON.parse(dumpOf([0, 1, 0])).osd.items);
  for (const text of [
    `{"osd":{"items":${counter},"items":${counter}}}`,
    `{"osd":{"items":${counter}},"osd":{"other":${counter}}}`,
    `{"osd":{"items":${counter}},"\\u006fsd":{"other":${counter}}}`,
    `{"osd":{"items":${counter.replace('"values"', '"values":[0,0,0],"values"')}}}`,
  ]) {
    for (const lenient of [true, false]) {
      const { message } = refusalOf(() => parseHistogramDump(text, { lenient }), 'ERR_DECODE');
      expect(message).toMatch(/^line 1, column \d+: the text must be JSON with another name here, got /);
    }
  }
});

test('a declaration of XML may precede a dump', () => {
  expect(countsOf(parseHistogramDump(`<?xml version="1.0"?>\n${TEXTS[2]![2]}${TEXTS[2]![1]}`))).toEqual([
    3, 2,
  ]);
});
