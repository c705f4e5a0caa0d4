import fc from 'fast-check';
import { type PrometheusSlo, prometheusRules } from '../../src/rules/index.ts';
import { boundTexts, bucketsAround } from '../../src/rules/promql.ts';

const SLO: PrometheusSlo = { metric: 'rpc_seconds', threshold: 0.25, budget: 0.001 };

test('the rates spend 2, 5, 10 and 10 percent of the budget in a long window', () => {
  const yaml = prometheusRules([{ ...SLO, periodMs: 720 * 3_600_000 }]);
  const hours = { h: 1, d: 24 };
  const found = [...yaml.matchAll(/window="(\d+)([hd])"\} > ([\d.]+)\n +and/g)];
  const shares = found.map(
    ([, count, unit, ratio]) =>
      ((Number(ratio) / SLO.budget) * Number(count) * hours[unit as 'h' | 'd']) / 720,
  );
  expect(shares.map((share) => Number(share.toPrecision(9)))).toEqual([0.02, 0.05, 0.1, 0.1]);
});

test('several objectives are groups of one file', () => {
  const yaml = prometheusRules([SLO, { ...SLO, name: 'slow', threshold: 1 }]);
  expect(yaml.match(/^groups:$/gm)).toHaveLength(1);
  expect(yaml.match(/^ {2}- name: .*$/gm)).toEqual([
    '  - name: "slo: rpc_seconds 0.25"',
    '  - name: "slo: slow"',
  ]);
  expect(yaml.match(/^# .* are at most .*$/gm)).toHaveLength(2);
});

test.each<[Partial<PrometheusSlo>, string]>([
  [{ budget: 1 }, 'budget must be a finite number above 0 and below 1, got 1'],
  [{ periodMs: 1000 }, 'periodMs must be at least 8640000 milliseconds, got 1000'],
  [{ by: ['le'] }, 'by[0] must be the name of a label other than le, slo, severity'],
  [{ matchers: ['job=api'] }, 'matchers[0] must be a matcher of PromQL, such as job="api"'],
  [{ labels: { slo: 'x' } }, 'labels must be texts by names of labels other than slo, severity'],
  [{ histogram: 'counter', by: ['threshold'] }, 'by must be without threshold, which the counter has'],
  [{ histogram: 'classic' }, 'threshold must be a bound of rpc_seconds, which bounds states, got 0.25'],
  [
    { histogram: 'custom', bounds: [0.1, 1] },
    'threshold must be a bound of rpc_seconds, such as 0.1 and 1, got 0.25',
  ],
  [{ thresold: 1 } as object, 'did you mean threshold?'],
])('refuses %j', (wrong, message) => {
  expect(() => prometheusRules([{ ...SLO, ...wrong }])).toThrow(message);
});

test('the buckets around a value have values on both sides of it, and are as wide as the schema says', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.double({ min: 1e-9, max: 1e12, noNaN: true }), fc.constantFrom(0.25, 0.5, 1, 64)),
      fc.integer({ min: -4, max: 8 }),
      (value, schema) => {
        const [lower, upper] = bucketsAround(value, schema);
        expect(lower).toBeLessThan(value);
        expect(upper).toBeGreaterThan(value);
        const width = 2 ** (2 ** -schema);
        const isEnd = Math.abs(value / lower - width) < 1e-12 && Math.abs(upper / value - width) < 1e-12;
        expect(upper / lower / width ** (isEnd ? 2 : 3)).toBeCloseTo(1, 9);
      },
    ),
  );
});

// As `strconv.FormatFloat` of Go 1.26 and `FormatOpenMetricsFloat` of Prometheus 3.15 write them.
test.each<[number, string[]]>([
  [0.3, ['0.3']],
  [1, ['1', '1.0']],
  [100_000, ['100000', '100000.0']],
  [1_000_000, ['1000000', '1e+06']],
  [1_234_567, ['1234567', '1.234567e+06']],
  [0.0001, ['0.0001']],
  [0.00001, ['0.00001', '1e-05']],
  [2.5e-7, ['2.5e-7', '2.5e-07']],
  [1e21, ['1e+21']],
])('the label le of %p is among %j', (bound, texts) => {
  expect(boundTexts(bound)).toEqual(texts);
});
