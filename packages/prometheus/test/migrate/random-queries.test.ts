import { caseCount } from '@hdrscope/testing/case-count';
import fc from 'fast-check';
import { loadMigration } from '../../src/internal.ts';

const { migrateQueries } = await loadMigration();

const options = { histograms: new Set(['x']), schema: 3 };

const blank = fc.constantFrom('', ' ', '\n  ');
const matchers = fc.constantFrom('', 'a="b"', 'a=~"b|c", d!="e"', 'a="$a"', "a=~'[(]'");
const range = fc.constantFrom('5m', '$__rate_interval', '1h30m', '[[w]]');
const shift = fc.constantFrom('', ' offset 5m', ' @ end()');

/** The rate of one part of the histogram x; `le` chooses a bucket. */
function rates(part: 'bucket' | 'sum' | 'count', le?: string): fc.Arbitrary<string> {
  const of = fc.record({ name: fc.constantFrom('rate', 'increase', 'irate'), matchers, range, shift, blank });
  return of.map(({ name, matchers, range, shift, blank }) => {
    const all = [matchers, ...(le === undefined ? [] : [`le="${le}"`])]
      .filter((one) => one !== '')
      .join(', ');
    return `${name}(${blank}x_${part}${all === '' ? '' : `{${all}}`}[${range}]${shift}${blank})`;
  });
}

const labels = fc.subarray(['job', 'route', '$by']);

function sums(inner: fc.Arbitrary<string>, more: readonly string[] = []): fc.Arbitrary<string> {
  const of = fc.record({ inner, labels, isBefore: fc.boolean(), blank, at: fc.nat(3) });
  return of.map(({ inner, labels, isBefore, blank, at }) => {
    const all = labels.toSpliced(at, 0, ...more);
    const modifier = all.length === 0 ? '' : `by (${all.join(`,${blank}`)})`;
    return isBefore ? `sum ${modifier} (${inner})` : `sum(${inner}) ${modifier}`;
  });
}

const quantiles = fc
  .tuple(fc.constantFrom('0.9', '$q', '0.5'), fc.oneof(rates('bucket'), sums(rates('bucket'), ['le'])))
  .map(([quantile, buckets]) => `histogram_quantile(${quantile}, ${buckets})`);

const numbers = fc.oneof(
  quantiles,
  rates('count'),
  sums(rates('sum')),
  sums(rates('bucket', '0.3')),
  sums(rates('bucket', '+Inf')),
  fc.tuple(sums(rates('sum')), sums(rates('count'))).map(([sum, count]) => `${sum} / ${count}`),
  fc.tuple(sums(rates('bucket', '1')), sums(rates('count'))).map(([good, all]) => `1 - ${good} / ${all}`),
);

const queries = fc.letrec<{ query: string }>((tie) => ({
  query: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    numbers,
    fc
      .tuple(tie('query'), fc.constantFrom('+', '*', '/', '>', 'and', 'or on (job)', '== bool'), tie('query'))
      .map((all) => all.join(' ')),
    tie('query').map((query) => `(${query})`),
    tie('query').map((query) => `max_over_time((${query})[1h:5m])`),
    tie('query').map((query) => `topk(3, clamp_min(${query}, 0))`),
    tie('query').map((query) => `label_replace(${query}, "to", "$1", "from", "(.*)")`),
  ),
})).query;

test('every query of these forms is rewritten, has no buckets then, and is not rewritten twice', () => {
  fc.assert(
    fc.property(queries, (text) => {
      const [verdict] = migrateQueries([{ text, use: 'rule' }], options);
      expect(verdict).toMatchObject({ outcome: 'rewritten', isHistogram: false });
      const { after } = verdict as { readonly after: string };
      expect(after).not.toMatch(/x_(bucket|sum|count)|\ble\b/);
      expect(migrateQueries([{ text: after, use: 'rule' }], options)).toEqual([{ outcome: 'unchanged' }]);
    }),
    { numRuns: caseCount(300, 20_000) },
  );
});

test('a query without histograms stays byte for byte', () => {
  const others = queries.map((text) =>
    text.replaceAll('x_bucket', 'y').replaceAll('x_sum', 'y').replaceAll('x_count', 'y'),
  );
  const withoutLe = others.map((text) => text.replace(/,?\s*le="[^"]*"|\ble,?\s*/g, ''));
  fc.assert(
    fc.property(withoutLe, (text) => {
      expect(migrateQueries([{ text, use: 'rule' }], options)[0]!.outcome).not.toBe('rewritten');
    }),
    { numRuns: caseCount(100, 5000) },
  );
});
