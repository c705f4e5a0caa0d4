// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are variables of Grafana.
import { exponentialBound } from '@hdrscope/core/internal';
import type { AnsweredSeries } from '../../src/migrate/compare-answers.ts';
import { addCase, bindVariables, replaceComparisons } from '../../src/migrate/generated/bind-query.ts';
import { compareResults } from '../../src/migrate/generated/compare-results.ts';
import { drawHistogram, SAMPLES } from '../../src/migrate/generated/draw-series.ts';
import { isMatch, listExamples } from '../../src/migrate/generated/example-texts.ts';
import { listParts } from '../../src/migrate/generated/pair-parts.ts';
import { chooseRows, planLabels } from '../../src/migrate/generated/plan-labels.ts';
import { readSeries } from '../../src/migrate/generated/read-series.ts';

describe('the texts of a generated question', () => {
  test.each([
    [
      'rate(x{a=~"$a", b!~"x$b", c="${c}"}[$__rate_interval])',
      'rate(x{a=~"(one|two)", b!~"x(one|two)", c="one"}[5m])',
    ],
    [
      'histogram_quantile($q, sum by (le, $by) (rate(x_bucket[5m])))',
      'histogram_quantile(0.9, sum by (le, chosen_label) (rate(x_bucket[5m])))',
    ],
    ['sum(rate(${service}_errors[{{.window}}])) > $limit', 'sum(rate(chosen_errors[5m])) > 0.9'],
    ['sum(x{$matchers})', undefined],
  ])('has values in place of variables: %s', (query, bound) => {
    expect(bindVariables(query)).toBe(bound);
  });

  test.each([
    [
      'x + sum(y{}) / {__name__="z", a="b"}',
      'x{hdrscope_case="1"} + sum(y{hdrscope_case="1"}) / {hdrscope_case="1", __name__="z", a="b"}',
    ],
    ['rate(x{a="}"}[5m] offset 1m)', 'rate(x{hdrscope_case="1", a="}"}[5m] offset 1m)'],
  ])('chooses series of one question: %s', (query, chosen) => {
    expect(addCase(query, '1')).toBe(chosen);
  });

  test.each([
    ['a > 0.5', '((a) - (0.5))'],
    ['a == bool on (b) c and d', '((a) -  on (b) (c)) and d'],
    ['a > b > c', '((((a) - (b))) - (c))'],
    ['a + b', undefined],
  ])('has differences in place of comparisons: %s', (query, difference) => {
    expect(replaceComparisons(query)).toBe(difference);
  });

  test('is asked for both sides of sets, which may hide each other', () => {
    expect(listParts('(a > 1) and (b or c)', '(A > 1) and (B or C)').map(([first]) => first)).toEqual([
      ['(a > 1) and (b or c)', '(A > 1) and (B or C)'],
      ['(a > 1)', '(A > 1)'],
      ['(b or c)', '(B or C)'],
      ['b', 'B'],
      ['c', 'C'],
    ]);
    expect(listParts('a and b', 'A or B')).toHaveLength(1);
  });
});

describe('the labels of generated series', () => {
  test.each([
    ...[
      '5..',
      '.+',
      '.*',
      'GET|POST',
      '2..|3..',
      '(?i)get',
      '/api/v[12]/(users|carts)/?',
      '^a.*b$',
      '[^45]..',
      'a{3}',
    ],
    ...['kube-.*', '\\d+', 'x\\.y', '(?:a|b)+c?', '(?P<n>a)', '(one|two)', ''],
  ])('have texts that an expression matches: %s', (pattern) => {
    const texts = listExamples(pattern);
    expect(texts).not.toEqual([]);
    expect(texts.filter((text) => isMatch(pattern, text) !== true)).toEqual([]);
  });

  test('are unknown for an expression that takes JavaScript too long', () => {
    expect(isMatch('(a+)+b', 'a'.repeat(60))).toBeUndefined();
    expect([isMatch('(a+)+b', 'aab'), isMatch('(?i)GET|(x', 'get')]).toEqual([true, undefined]);
  });

  test('have for each matcher a row that only this matcher leaves out', () => {
    const reading = readSeries(
      'sum by (route) (rate(x_bucket{job="api", code!~"5..", env=~"prod|test", le="0.3"}[5m]))',
    );
    const { matchers } = reading.selectors[0]!;
    const accepts = (
      { label, operator, value }: (typeof matchers)[number],
      row: ReadonlyMap<string, string>,
    ): boolean => {
      const isEqual = operator.includes('~')
        ? isMatch(value, row.get(label) ?? '')
        : (row.get(label) ?? '') === value;
      return isEqual === !operator.startsWith('!');
    };
    const rows = planLabels(reading, { isSimple: false });
    const missed = rows.map((row) =>
      matchers.filter((matcher) => !accepts(matcher, row)).map(({ label }) => label),
    );
    expect(missed.filter(({ length }) => length === 0).length).toBeGreaterThan(3);
    for (const { label } of matchers) expect(missed).toContainEqual([label]);
  });

  test('differ in labels by which a join finds one series', () => {
    const reading = readSeries('x * on (pod) group_left (node) info{node!=""}');
    const rows = planLabels(reading, { isSimple: false });
    const info = reading.selectors.filter(({ name }) => name === 'info');
    const found = chooseRows(rows, info).filter((row) => row.has('node'));
    expect(found.length).toBeGreaterThan(1);
    expect(new Set(found.map((row) => row.get('pod'))).size).toBe(found.length);
    expect(
      chooseRows(
        rows,
        reading.selectors.filter(({ name }) => name === 'x'),
      ),
    ).toHaveLength(rows.length);
  });
});

describe('the values of generated histograms', () => {
  const BOUNDS = [0.1, 0.3, 1];

  test('are the same in all forms, at each time', () => {
    for (let row = 0; row < 5; row++) {
      const [custom, exponential] = (['custom', 'exponential'] as const).map((form) =>
        drawHistogram(row, BOUNDS, form, 5),
      );
      for (let step = 0; step < SAMPLES; step++) {
        const [one, other] = [custom![step], exponential![step]];
        expect(one === undefined).toBe(other === undefined);
        if (one === undefined || other === undefined) continue;
        expect([other.count, other.sum, other.counts]).toEqual([one.count, one.sum, one.counts]);
        expect(one.native.classic).toEqual({ boundaries: BOUNDS, counts: one.counts });
        const { positive } = other.native.native!;
        const total = positive.counts.reduce((sum, count) => sum + count, 0);
        expect(total).toBe(one.counts.reduce((sum, count) => sum + count, 0));
        // Bounds lie within native buckets, so that each side of a bound has the values of at least its whole native buckets.
        const below = positive.counts.filter((_, at) => exponentialBound(3, positive.offset + at + 1) <= 0.3);
        expect(below.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(
          one.counts[0]! + one.counts[1]!,
        );
      }
    }
  });

  test('fall in some series, begin late, pause and end in others', () => {
    const rows = [0, 1, 2, 3, 4].map((row) => drawHistogram(row, BOUNDS, 'custom', row));
    const counts = rows.map((samples) => samples.map((sample) => sample?.count));
    const falls = counts.map((row) => row.some((count, step) => step > 0 && count! < row[step - 1]!));
    expect(falls).toEqual([false, true, false, false, false]);
    expect(counts.map((row) => row.includes(undefined))).toEqual([false, false, true, true, false]);
    expect(counts[4]!.at(-1)).toBe(counts[4]!.at(-60));
    expect(counts[0]!.at(-1)).toBeGreaterThan(counts[0]!.at(-60)!);
  });
});

describe('two results whose values must be equal', () => {
  const series = (labels: Record<string, string>, numbers: [number, number][]): AnsweredSeries => ({
    labels: new Map(Object.entries(labels)),
    numbers: new Map(numbers),
    histograms: new Map(),
  });
  const histogram = (counts: [upper: number, count: number][]): AnsweredSeries => ({
    ...series({ a: 'b' }, []),
    histograms: new Map([
      [1, { count: 9, sum: 3, buckets: counts.map(([upper, count]) => ({ lower: 0, upper, count })) }],
    ]),
  });

  test.each([
    [
      'equal ones',
      [series({ __name__: 'x', a: 'b' }, [[1, 2]])],
      [series({ a: 'b' }, [[1, 2 + 1e-12]])],
      undefined,
    ],
    ['no number', [series({}, [[1, Number.NaN]])], [series({}, [[1, Number.NaN]])], undefined],
    ['another value', [series({}, [[1, 2]])], [series({}, [[1, 2.1]])], '{} at 1 is 2.1, and was 2'],
    [
      'a lost time',
      [
        series({}, [
          [1, 2],
          [2, 2],
        ]),
      ],
      [series({}, [[1, 2]])],
      '{} at 2 is not in the result any more',
    ],
    ['a new series', [], [series({ a: 'b' }, [[1, 2]])], '{a="b"} at 1 is new in the result'],
    [
      'buckets',
      [series({ a: 'b', le: '0.5' }, [[1, 4]]), series({ a: 'b', le: '1.0' }, [[1, 9]])],
      [
        histogram([
          [0.5, 4],
          [1, 5],
        ]),
      ],
      undefined,
    ],
    [
      'another bucket',
      [series({ a: 'b', le: '0.5' }, [[1, 5]])],
      [
        histogram([
          [0.5, 4],
          [1, 5],
        ]),
      ],
      '{a="b", le="0.5"} at 1 is 4, and was 5',
    ],
  ] as const)('%s', (_, before, after, difference) => {
    expect(compareResults(before, after).difference).toBe(difference);
  });

  test('values that are no numbers prove nothing', () => {
    const answers = [series({}, [[1, Number.NaN]])];
    expect(compareResults(answers, answers)).toEqual({ values: 0 });
  });
});
