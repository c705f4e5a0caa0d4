import type { ExpositionFormat } from '../../src/index.ts';
import { readExposition, type ScrapedHistograms } from '../../src/scraper/index.ts';

const read = (text: string, format: ExpositionFormat = 'text'): ScrapedHistograms =>
  readExposition(new TextEncoder().encode(text), format);

/** A histogram `x` of these lines, each without its name. */
const histogram = (...lines: string[]): string =>
  ['# TYPE x histogram', ...lines.map((line) => `x${line}`), ''].join('\n');

const WELL = ['_bucket{le="1"} 2', '_bucket{le="+Inf"} 3', '_sum 4', '_count 3'];

/** The counts of the only histogram. */
function onlyCounts({ families, refusals }: ScrapedHistograms): number[] {
  expect(refusals).toEqual([]);
  expect(families).toHaveLength(1);
  expect(families[0]!.histograms).toHaveLength(1);
  const { layout, counts } = families[0]!.histograms[0]!.counted;
  return Array.from({ length: layout.slotCount }, (_, slot) => counts.at(slot));
}

/** The reason of the only refusal of a text without other histograms. */
function onlyRefusal({ families, refusals }: ScrapedHistograms): string {
  expect(families).toEqual([]);
  expect(refusals).toHaveLength(1);
  return `${refusals[0]!.reason}: ${refusals[0]!.problem}`;
}

describe('classic buckets', () => {
  test.each([
    ['a bound 0.1', '0.1', 0.1],
    ['a bound with an exponent', '1e-05', 1e-5],
    ['a bound with a point', '1.0', 1],
    ['a bound without a point', '1', 1],
    ['a negative bound', '-2.5', -2.5],
    ['a large bound of Go', '1e+06', 1e6],
  ])('%s', (_, le, bound) => {
    const { families } = read(histogram(`_bucket{le="${le}"} 2`, '_bucket{le="+Inf"} 3', '_count 3'));
    expect(families[0]!.histograms[0]!.counted.layout).toMatchObject({ edges: [bound] });
  });

  test.each([
    ['in any order', ['_bucket{le="+Inf"} 3', '_sum 4', '_bucket{le="1"} 2', '_count 3']],
    ['with counts as Python writes them', ['_bucket{le="1.0"} 2.0', '_bucket{le="+Inf"} 3.0', '_count 3.0']],
    ['with times', ['_bucket{le="1"} 2 1700000000000', '_bucket{le="+Inf"} 3 1700000000000']],
    ['with blanks', ['_bucket { le = "1" }\t2', '_bucket{ le="+Inf" , }   3']],
    [
      'with a bucket below all numbers',
      ['_bucket{le="-Inf"} 0', '_bucket{le="1"} 2', '_bucket{le="+Inf"} 3'],
    ],
    [
      'with lines of other metrics between them',
      ['_bucket{le="1"} 2', 'y 4', '_bucket{le="+Inf"} 3', '_counted 7'],
    ],
  ])('%s', (_, lines) => {
    expect(onlyCounts(read(histogram(...lines)))).toEqual([2, 1]);
  });

  test('counts up to 2^53 - 1 are exact', () => {
    const text = histogram('_bucket{le="1"} 9007199254740990', '_bucket{le="+Inf"} 9007199254740991');
    expect(onlyCounts(read(text))).toEqual([Number.MAX_SAFE_INTEGER - 1, 1]);
  });

  test.each([
    ['no bucket +Inf', ['_bucket{le="1"} 2', '_sum 1'], 'malformed: has no bucket with le="+Inf"'],
    [
      'counts that fall',
      ['_bucket{le="1"} 2', '_bucket{le="2"} 1', '_bucket{le="+Inf"} 3'],
      'malformed: has fewer values up to 2, 1, than up to a smaller bound, 2',
    ],
    [
      'a bound twice',
      ['_bucket{le="1"} 2', '_bucket{le="1.0"} 2', '_bucket{le="+Inf"} 3'],
      'malformed: has two buckets with the bound 1',
    ],
    [
      'a bucket without a bound',
      ['_bucket 2', '_bucket{le="+Inf"} 3'],
      'malformed: has a bucket without a number as its bound le',
    ],
    [
      'another count',
      ['_bucket{le="1"} 2', '_bucket{le="+Inf"} 3', '_count 4'],
      'malformed: has buckets of 3 values, but its count is 4',
    ],
    [
      'a fraction',
      ['_bucket{le="1"} 2.5', '_bucket{le="+Inf"} 3'],
      'unsupported: has the count 2.5 up to 1: only integers can be counted',
    ],
    [
      'a count below 0',
      ['_bucket{le="1"} -2', '_bucket{le="+Inf"} 3'],
      'malformed: has the count -2 up to 1',
    ],
    ['NaN', ['_bucket{le="1"} NaN', '_bucket{le="+Inf"} 3'], 'malformed: has the count NaN up to 1'],
    [
      'a count of 2^63',
      ['_bucket{le="1"} 2', '_bucket{le="+Inf"} 9223372036854775808'],
      'countTooLarge: has a count above 2^53 - 1',
    ],
    ['the sum twice', [...WELL, '_sum 4'], 'malformed: has its sum twice'],
    ['all lines twice', [...WELL, ...WELL], 'malformed: has its count twice'],
    [
      'only the bucket +Inf',
      ['_bucket{le="+Inf"} 3'],
      'unsupported: has only the bucket +Inf, so the size of its values is unknown; native buckets need protobuf or OpenMetrics 2.0',
    ],
  ])('with %s are refused, and the other series counts', (_, lines, problem) => {
    expect(onlyRefusal(read(histogram(...lines)))).toBe(problem);
    const bad = lines.map((line) =>
      line.replace(/^(_\w+)(?:\{(.*)\})?/, (_all, name, own = '') => `${name}{a="bad",${own}}`),
    );
    const good = WELL.map((line) =>
      line.replace(/^(_\w+)(?:\{(.*)\})?/, (_all, name, own = '') => `${name}{a="good",${own}}`),
    );
    const { families, refusals } = read(histogram(...bad, ...good));
    expect(refusals.map(({ labels }) => labels)).toEqual([{ a: 'bad' }]);
    expect(families[0]!.histograms.map(({ labels }) => labels)).toEqual([{ a: 'good' }]);
  });
});

describe('labels', () => {
  test.each([
    ['escapes', String.raw`a="\"\\\n",le="1"`, { a: '"\\\n' }],
    ['le first', 'le="1",a="b"', { a: 'b' }],
    ['le in the middle', 'a="b",le="1",c="d"', { a: 'b', c: 'd' }],
    ['a value that looks like le', 'a=",le=",le="1"', { a: ',le=' }],
    ['a value with braces', 'a="}{",le="1"', { a: '}{' }],
    ['a name that ends with le', 'file="x",le="1"', { file: 'x' }],
    ['a quoted name', '"http.route"="/",le="1"', { 'http.route': '/' }],
    ['the name __proto__', '__proto__="x",le="1"', JSON.parse('{"__proto__":"x"}')],
  ])('with %s', (_, text, labels) => {
    const bucket = (le: string) => `_bucket{${text.replace('le="1"', `le="${le}"`)}} 1`;
    const { families, refusals } = read(histogram(bucket('1'), bucket('+Inf')));
    expect(refusals).toEqual([]);
    expect(families[0]!.histograms[0]!.labels).toEqual(labels);
  });

  test('in another order are the same series', () => {
    const text = histogram(
      '_bucket{a="1",b="2",le="1"} 2',
      '_bucket{b="2",a="1",le="+Inf"} 3',
      '_count{b="2",a="1"} 3',
    );
    expect(onlyCounts(read(text))).toEqual([2, 1]);
  });

  test('a quoted name of a metric is read', () => {
    const text =
      '# TYPE "http.time" histogram\n{"http.time_bucket",le="1"} 2\n{"http.time_bucket",le="+Inf"} 3\n';
    expect(read(text).families[0]!.name).toBe('http.time');
  });
});

describe('a family', () => {
  test.each([
    ['x_seconds', '', 's'],
    ['x_bytes', '', 'By'],
    ['x_milliseconds', '', 'ms'],
    ['x_bytes_per_second', '', 'By/s'],
    ['x_ratio', '', '1'],
    ['x', '', ''],
    ['seconds', '', ''],
    ['xseconds', '', ''],
    ['x', '# UNIT x seconds\n', 's'],
    ['x_bytes', '# UNIT x_bytes requests\n', 'By'],
  ])('%s with %j has the unit %j', (name, unitLine, unit) => {
    const text = `# TYPE ${name} histogram\n${unitLine}${WELL.map((line) => `${name}${line}\n`).join('')}`;
    expect(read(text).families[0]!.unit).toBe(unit);
  });

  test('summaries and gauge histograms are refused once for each family, and numbers are left out', () => {
    const text = [
      '# TYPE s summary',
      's{quantile="0.5"} 1',
      's_sum{a="1"} 1',
      's_count{a="1"} 1',
      '# TYPE g gaugehistogram',
      'g_bucket{le="+Inf"} 1',
      'g_gcount 1',
      '# TYPE c counter',
      'c_total 1',
      'untyped 1',
      '# EOF\n',
    ].join('\n');
    const { families, refusals, otherFamilies } = read(text, 'openmetrics');
    expect(families).toEqual([]);
    expect(refusals.map(({ family, labels, reason }) => [family, labels, reason])).toEqual([
      ['s', undefined, 'unsupported'],
      ['g', undefined, 'unsupported'],
    ]);
    expect(otherFamilies).toBe(1);
  });

  test("buckets of VictoriaMetrics' client are left out, and the reason names them", () => {
    const text = histogram('_bucket{vmrange="1.000e+00...1.136e+00"} 2', '_sum 2', '_count 2');
    const { families, refusals } = read(text);
    expect(families).toEqual([]);
    expect(refusals.map(({ reason }) => reason)).toEqual(['unsupported', 'unsupported']);
    expect(refusals[0]!.problem).toBe('has buckets of VictoriaMetrics (vmrange)');
  });

  test('has the start that OpenMetrics states, or that a gauge beside it states in the old format', () => {
    const old = `${histogram(...WELL)}# TYPE x_created gauge\nx_created 1.7e+09\n`;
    const open = `${histogram(...WELL, '_created 1.7e+09')}# EOF\n`;
    for (const { families, otherFamilies } of [read(old), read(open, 'openmetrics')]) {
      expect(families[0]!.histograms[0]!.createdMs).toBe(1_700_000_000_000);
      expect(otherFamilies).toBeLessThanOrEqual(1);
    }
  });

  test('has the exemplars of its buckets', () => {
    const line = '_bucket{le="1"} 2 # {trace_id="a#b"} 0.7 1700000000.5';
    const text = `${histogram(line, '_bucket{le="+Inf"} 3')}# EOF\n`;
    expect(read(text, 'openmetrics').families[0]!.histograms[0]!.exemplars).toEqual([
      { value: 0.7, timeMs: 1_700_000_000_500, attributes: { trace_id: 'a#b' } },
    ]);
  });
});

describe('an answer that is not metrics is refused as a whole', () => {
  test.each([
    ['a page', '<!DOCTYPE html>\n<html></html>\n', 'line 1 does not begin with a name: "<!DOCTYPE html>"'],
    ['a sentence', 'Service Unavailable\n', 'line 1 has a value that is not a number: "Service Unavailable"'],
    ['a brace that stays open', 'x{a="1" 3\n', 'line 1 has a brace that is not closed'],
    ['a quote that stays open', 'x{a="1} 3\n', 'line 1 has a quote that is not closed'],
    ['a label twice', '# TYPE x histogram\nx_count{a="1",a="2"} 3\n', 'line 2 has the label "a" twice'],
    ['le twice', 'x{le="1",le="2"} 3\n', 'line 1 has the label le twice'],
    ['no value', 'x\n', 'line 1 has no value'],
    ['a line that is cut off', 'x 1\ny 12', 'the answer is cut off: line 2 has no end'],
  ])('%s', (_, text, message) => {
    expect(() => read(text)).toThrow(message);
  });

  test('OpenMetrics without an end', () => {
    expect(() => read(histogram(...WELL), 'openmetrics')).toThrow(
      'the answer is cut off: it has 5 lines and no "# EOF" at its end',
    );
    expect(() => read('# EOF\nx 1\n', 'openmetrics')).toThrow('line 2 follows "# EOF"');
  });

  test('text that is not UTF-8', () => {
    expect(() => readExposition(Uint8Array.of(0x78, 0x7b, 0xff, 0x0a), 'text')).toThrow(
      'the answer is not UTF-8, after line 0',
    );
  });

  test('10 MB in one line', () => {
    expect(() => read(`x{a="${'a'.repeat(1e7)}"} 1\n`)).toThrow(
      'line 1 has 10000009 bytes, and a line must have at most 1048576',
    );
  });

  test('labels of more than 16,384 characters', () => {
    const bomb = Array.from({ length: 2000 }, (_, i) => `l${i}="xxxxx"`).join();
    expect(() => read(histogram(`_count{${bomb}} 1`))).toThrow(
      'line 2 has labels of more than 16384 characters',
    );
  });

  test('more families than memory should hold', () => {
    const text =
      '# TYPE a histogram\n'.repeat(2) +
      Array.from({ length: 273_000 }, (_, i) => `# TYPE ${i} x\n`).join('');
    expect(() => read(text)).toThrow('the answer must have at most 3000000 elements');
  });
});

describe('OpenMetrics 2.0', () => {
  const composite = (value: string): ScrapedHistograms =>
    read(`# TYPE x histogram\nx ${value} st@1.5\n# EOF\n`, 'openmetrics2');

  test('reads classic buckets', () => {
    const scraped = composite('{count:3,sum:4,bucket:[1:2,+Inf:3]}');
    expect(onlyCounts(scraped)).toEqual([2, 1]);
    expect(scraped.families[0]!.histograms[0]!).toMatchObject({ sum: 4, createdMs: 1500 });
  });

  test.each([
    ['a list that stays open', '{count:3,sum:4,bucket:[1:2}'],
    ['a number in place of a list', '{count:3,sum:4,bucket:3}'],
    ['a field twice', '{count:3,count:4,sum:1,bucket:[+Inf:3]}'],
    ['a word in place of a number', '{count:many,sum:4,bucket:[1:2,+Inf:3]}'],
  ])('refuses %s', (_, value) => {
    expect(() => composite(value)).toThrow('line 2 has');
  });

  test('a series on two lines is refused', () => {
    const line = 'x {count:3,sum:4,bucket:[1:2,+Inf:3]}\n';
    expect(onlyRefusal(read(`# TYPE x histogram\n${line}${line}# EOF\n`, 'openmetrics2'))).toBe(
      'malformed: has its classic buckets twice',
    );
  });
});
