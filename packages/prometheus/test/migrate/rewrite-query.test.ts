// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are variables of Grafana.
import { loadMigration, type QueryUse } from '../../src/internal.ts';

const { migrateQueries } = await loadMigration();

function migrate(text: string, use: QueryUse = 'query', histograms: readonly string[] = ['x', '$m', 'x_$a']) {
  const verdicts = migrateQueries([{ text, use }], { histograms: new Set(histograms), schema: 3 });
  return verdicts[0]!;
}

function rewritten(text: string, use?: QueryUse): string {
  const verdict = migrate(text, use);
  return verdict.outcome === 'rewritten' ? verdict.after : JSON.stringify(verdict);
}

function refusal(text: string): string {
  const verdict = migrate(text);
  return verdict.outcome === 'refused' ? verdict.code : verdict.outcome;
}

const guarded = (bound: string, h: string): string =>
  `(histogram_fraction(-Inf, ${bound}, ${h}) * histogram_count(${h}) >= 0 or histogram_count(${h}))`;

describe('a quantile', () => {
  test.each([
    ['histogram_quantile(0.9, x_bucket)', 'histogram_quantile(0.9, x)'],
    ['histogram_quantile(0.9, rate(x_bucket{a="b"}[5m]))', 'histogram_quantile(0.9, rate(x{a="b"}[5m]))'],
    [
      'histogram_quantile(0.99, sum by (le, a) (rate(x_bucket{a=~"b|c"}[5m])))',
      'histogram_quantile(0.99, sum by (a) (rate(x{a=~"b|c"}[5m])))',
    ],
    [
      'histogram_quantile(0.9, sum by (le) (rate(x_bucket[5m])))',
      'histogram_quantile(0.9, sum(rate(x[5m])))',
    ],
    ['histogram_quantile(0.9, sum(rate(x_bucket[5m])) by (le))', 'histogram_quantile(0.9, sum(rate(x[5m])))'],
    [
      'histogram_quantile(0.9, sum(rate(x_bucket[5m])) by (a, le))',
      'histogram_quantile(0.9, sum(rate(x[5m])) by (a))',
    ],
    [
      'histogram_quantile(0.9, sum(rate(x_bucket[5m])) by (a, le, b))',
      'histogram_quantile(0.9, sum(rate(x[5m])) by (a, b))',
    ],
    [
      'histogram_quantile(0.9, sum without (pod) (rate(x_bucket[5m])))',
      'histogram_quantile(0.9, sum without (pod) (rate(x[5m])))',
    ],
    [
      'histogram_quantile(0.9, avg by (le) (irate(x_bucket[5m] offset 1h)))',
      'histogram_quantile(0.9, avg(irate(x[5m] offset 1h)))',
    ],
    [
      'histogram_quantile(0.9, increase(x_bucket[5m] @ end()))',
      'histogram_quantile(0.9, increase(x[5m] @ end()))',
    ],
    [
      'max_over_time(histogram_quantile(0.9, sum by (le) (rate(x_bucket[5m])))[1h:1m])',
      'max_over_time(histogram_quantile(0.9, sum(rate(x[5m])))[1h:1m])',
    ],
    [
      'histogram_quantile(0.9, sum by (le) (rate(x_bucket[5m]))) > 0.5 and on () up == 1 # why',
      'histogram_quantile(0.9, sum(rate(x[5m]))) > 0.5 and on () up == 1 # why',
    ],
    [
      'label_replace(histogram_quantile(0.9, x_bucket), "q", "0.9", "", "") or histogram_quantile(0.5, y_bucket)',
      'label_replace(histogram_quantile(0.9, x), "q", "0.9", "", "") or histogram_quantile(0.5, y)',
    ],
    [
      'histogram_quantile(0.9, sum by (le) (label_replace(rate(x_bucket[5m]), "a", "$1", "b", "(.*)")))',
      'histogram_quantile(0.9, sum(label_replace(rate(x[5m]), "a", "$1", "b", "(.*)")))',
    ],
    [
      'histogram_quantile(0.9, sum by (le, node) (rate(x_bucket[5m]) * on (pod) group_left (node) info))',
      'histogram_quantile(0.9, sum by (node) (rate(x[5m]) * on (pod) group_left (node) info))',
    ],
    [
      'histogram_quantile(0.9, sum by (le) (rate(x_bucket[5m])) + sum by (le) (rate(y_bucket[5m])))',
      'histogram_quantile(0.9, sum(rate(x[5m])) + sum(rate(y[5m])))',
    ],
    [
      'histogram_quantile($q, sum by (le, $by) (rate(${m}_bucket{job=~"$job", i="[[i]]"}[$__rate_interval])))',
      'histogram_quantile($q, sum by ($by) (rate(${m}{job=~"$job", i="[[i]]"}[$__rate_interval])))',
    ],
    [
      'histogram_quantile(0.9, sum(rate({__name__="x_bucket", a="b"}[${__range_s}s])) by (le))',
      'histogram_quantile(0.9, sum(rate({__name__="x", a="b"}[${__range_s}s])))',
    ],
    ['histogram_quantile(0.9, rate({"x.y_bucket"}[5m]))', 'histogram_quantile(0.9, rate({"x.y"}[5m]))'],
    ['1000 * histogram_quantile(0.9, x_bucket{le=~".+"})', '1000 * histogram_quantile(0.9, x)'],
    [
      'histogram_quantile(0.9, sum by (le) (rate(x_bucket[{{.window}}])))',
      'histogram_quantile(0.9, sum(rate(x[{{.window}}])))',
    ],
  ])('%s becomes %s', (before, after) => {
    expect(rewritten(before)).toBe(after);
  });
});

describe('sums and counts', () => {
  test.each([
    ['rate(x_sum[5m]) / rate(x_count[5m])', 'histogram_avg(rate(x[5m]))'],
    [
      'sum by (a) (rate(x_sum{b="c"}[5m])) / sum by (a) (rate(x_count{b="c"}[5m]))',
      'histogram_avg(sum by (a) (rate(x{b="c"}[5m])))',
    ],
    [
      'sum(rate(x_sum[5m])) / sum(rate(x_count{a="b"}[5m]))',
      'histogram_sum(sum(rate(x[5m]))) / histogram_count(sum(rate(x{a="b"}[5m])))',
    ],
    [
      'sum(rate(x_count{a!="b"}[$__interval])) by (c)',
      'histogram_count(sum(rate(x{a!="b"}[$__interval])) by (c))',
    ],
    ['topk(5, sum by (a) (rate(x_count[5m])))', 'topk(5, histogram_count(sum by (a) (rate(x[5m]))))'],
    ['max by (a) (rate(x_bucket{le="+Inf"}[5m]))', 'max by (a) (histogram_count(rate(x[5m])))'],
    ['max_over_time(rate(x_count[5m])[1h:])', 'max_over_time(histogram_count(rate(x[5m]))[1h:])'],
    ['sum(rate(x_sum[5m])) * 1e3 / sum(rate(x_count[5m]))', 'histogram_avg(sum(rate(x[5m]))) * 1e3'],
    ['absent(x_count{job="a"}) == 1', 'absent(x{job="a"}) == 1'],
    ['absent(x_bucket)', 'absent(x)'],
    [
      'sum(rate(y_count[5m])) + sum(rate(x_count[5m]))',
      'sum(rate(y_count[5m])) + histogram_count(sum(rate(x[5m])))',
    ],
    ['sum(increase(x_count[1h])) > 5', 'histogram_count(sum(increase(x[1h]))) > 5'],
    ['count(x_count)', 'count(histogram_count(x))'],
  ])('%s becomes %s', (before, after) => {
    expect(rewritten(before)).toBe(after);
  });
});

describe('values within a bound', () => {
  test.each([
    [
      'sum(rate(x_bucket{le="0.3", a="b"}[5m])) / sum(rate(x_count{a="b"}[5m]))',
      'histogram_fraction(-Inf, 0.3, sum(rate(x{a="b"}[5m])))',
    ],
    [
      '1 - sum by (a) (rate(x_bucket{a="b",le="0.3"}[5m])) / sum by (a) (rate(x_bucket{a="b",le="+Inf"}[5m]))',
      '1 - histogram_fraction(-Inf, 0.3, sum by (a) (rate(x{a="b"}[5m])))',
    ],
    [
      '(sum(rate(x_bucket{le="0.3"}[5m])) + sum(rate(x_bucket{le="1.2"}[5m]))) / 2 / sum(rate(x_count[5m]))',
      '(histogram_fraction(-Inf, 0.3, sum(rate(x[5m]))) + histogram_fraction(-Inf, 1.2, sum(rate(x[5m])))) / 2',
    ],
    [
      '(sum(rate(x_count[5m])) - sum(rate(x_bucket{le=~"1(\\\\.0)?"}[5m]))) / sum(rate(x_count[5m]))',
      '(1 - histogram_fraction(-Inf, 1, sum(rate(x[5m]))))',
    ],
    ['sum(rate(x_bucket{le="0.3"}[5m]))', guarded('0.3', 'sum(rate(x[5m]))')],
    [
      'sum(rate(x_bucket{le="0.3",c!="5"}[5m])) / sum(rate(x_count[5m]))',
      `${guarded('0.3', 'sum(rate(x{c!="5"}[5m]))')} / histogram_count(sum(rate(x[5m])))`,
    ],
    [
      'rate(x_bucket{le="0.3"}[5m]) / ignoring(le) rate(x_count[5m])',
      'histogram_fraction(-Inf, 0.3, rate(x[5m]))',
    ],
    ['sum by (a) (x_bucket{le="0.3"} or vector(0))', `sum by (a) (${guarded('0.3', 'x')} or vector(0))`],
    ['sum without (le, a) (rate(x_bucket{le="0.3"}[5m]))', guarded('0.3', 'sum without (a) (rate(x[5m]))')],
  ])('%s becomes %s', (before, after) => {
    expect(rewritten(before)).toBe(after);
  });

  test('has the native bucket of the bound as a note, unless the bound is that of a bucket', () => {
    const [inside, border] = ['0.3', '0.25'].map((le) => migrate(`sum(rate(x_bucket{le="${le}"}[5m]))`));
    expect(inside).toMatchObject({
      notes: [
        {
          code: 'interpolated',
          text: '0.3 lies inside a native bucket: at schema 3, the count is off by at most the values from 0.2973 to 0.3242',
        },
      ],
    });
    expect(border).toMatchObject({ notes: [] });
  });
});

describe('what has no equal is refused', () => {
  test.each([
    ['sum by (le) (rate(x_bucket[5m]))', 'buckets'],
    ['x_bucket', 'buckets'],
    ['rate(x_bucket{le="0.3"}[5m])', 'buckets'],
    ['sum by (le, a) (rate(x_bucket{le="0.3"}[5m]))', 'buckets'],
    ['absent(x_bucket{le="0.3"})', 'buckets'],
    ['max(x_bucket{le="0.3"} or vector(0))', 'buckets'],
    ['sum(x_bucket{le="0.3"} or y)', 'buckets'],
    ['count(x_bucket)', 'operation'],
    ['topk(5, x_bucket)', 'operation'],
    ['x_bucket > 5', 'operation'],
    ['histogram_quantile(0.9, max by (le) (rate(x_bucket[5m])))', 'operation'],
    ['histogram_quantile(0.9, rate(x_bucket[5m]) * on (pod, le) group_left info)', 'operation'],
    ['histogram_quantile(0.9, rate(x_bucket[5m]) * info)', 'operation'],
    ['histogram_quantile(0.9, rate(sum by (le) (x_bucket)[5m:]))', 'operation'],
    ['histogram_quantile(0.9, clamp_min(rate(x_bucket[5m]), 0))', 'operation'],
    ['histogram_quantile(0.9, -x_bucket)', 'operation'],
    ['max_over_time(x_count[5m])', 'operation'],
    ['quantile_over_time(0.9, x_count[5m])', 'operation'],
    ['changes(x_count[5m])', 'operation'],
    ['delta(x_sum[5m])', 'operation'],
    ['timestamp(x_count)', 'operation'],
    ['histogram_quantile(0.9, sum by (a) (rate(x_bucket[5m])))', 'no-le'],
    ['histogram_quantile(0.9, sum without (le) (rate(x_bucket[5m])))', 'no-le'],
    ['histogram_quantile(0.9, sum(rate(x_bucket[5m])))', 'no-le'],
    ['histogram_quantile(0.9, x_bucket{le!="0.3"})', 'bounds'],
    ['sum(x_bucket{le=~"0.1|0.3"})', 'bounds'],
    ['sum(x_bucket{le="0"})', 'bounds'],
    ['sum(x_bucket{le="$le"})', 'variable'],
    ['sum(rate({__name__=~"x_(bucket|count)"}[5m]))', 'bounds'],
    ['histogram_quantile(0.9, sum by (le) (rate(x_bucket{$filter}[5m])))', 'variable'],
    ['histogram_quantile(0.9, sum by (le) (job:x_bucket:rate5m))', 'recorded'],
    ['histogram_quantile(0.9, sum by (le) (job:latency:rate5m))', 'recorded'],
    ['rate(y_sum[5m]) / rate(y_count[5m])', 'unknown-type'],
    ['histogram_quantile(0.9, sum by (le) (rate(x_bucket[5m]))', 'syntax'],
    ['rate(x_bucket{"\n,le=~".+"}[5m])', 'syntax'],
    ['histogram_quantile(0.9, label_replace(x_bucket, "le", "$1", "bound", "(.*)"))', 'buckets'],
  ])('%s: %s', (text, code) => {
    expect(refusal(text)).toBe(code);
  });

  test.each([
    'up == 0',
    'histogram_quantile(0.9, sum(rate(x[5m])))',
    'sum by (job) (rate(http_requests_total[5m]))',
    'fields @timestamp | filter x_count',
    '',
  ])('%s stays as it is', (text) => {
    expect(migrate(text).outcome).toBe('unchanged');
  });
});

test.each(['==', '!=', '>', '>=', '<', '<='])(
  'a comparison by %s loses the name of its metric, and says so',
  (operator) => {
    expect(migrate(`x_count ${operator} 5`)).toMatchObject({ notes: [{ code: 'name' }] });
  },
);

describe('recorded buckets', () => {
  const record = 'job:x_bucket:rate5m';
  const rule = { text: 'sum by (le, job) (rate(x_bucket[5m]))', use: 'rule', record } as const;
  const options = { histograms: new Set<string>(), schema: 3 };

  test('become native histograms of another name, which their readers follow', () => {
    const reader = { text: `histogram_quantile(0.9, sum by (le) (${record}{a="b"}))`, use: 'panel' } as const;
    const verdicts = migrateQueries([reader, rule], options);
    expect(verdicts).toMatchObject([
      { after: 'histogram_quantile(0.9, sum(job:x:rate5m{a="b"}))' },
      { after: 'sum by (job) (rate(x[5m]))', recordedAs: 'job:x:rate5m' },
    ]);
  });

  test('stay with all of their readers where one of these is refused', () => {
    const readers = [`count(${record})`, `histogram_quantile(0.9, ${record})`];
    const queries = [rule, ...readers.map((text) => ({ text, use: 'panel' }) as const)];
    const verdicts = migrateQueries(queries, options);
    expect(verdicts.map((one) => one.outcome === 'refused' && one.code)).toEqual([
      'recorded',
      'recorded',
      'recorded',
    ]);
  });

  test('stay where the new name is taken', () => {
    const taken = { text: 'sum(rate(up[5m]))', use: 'rule', record: 'job:x:rate5m' } as const;
    expect(migrateQueries([rule, taken], options)[0]).toMatchObject({ code: 'recorded' });
  });
});

test('a heat map draws native histograms, and other panels do not', () => {
  const text = 'sum(increase(x_bucket[$__interval])) by (le)';
  expect(rewritten(text, 'heatmap')).toBe('sum(increase(x[$__interval]))');
  expect(migrate(text, 'panel')).toMatchObject({ outcome: 'refused', code: 'buckets' });
});
