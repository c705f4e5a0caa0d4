import type { Counted } from '@hdrscope/core';
import { readElasticsearch, readEnvoyStats, readVmranges } from '../../src/sketches/index.ts';
import { listSlots, readVectors, type Vector } from './support/vectors.ts';

// Made by the libraries themselves: the vectors name their versions.

const READERS: Readonly<Record<string, (text: string) => Counted>> = {
  circllhist: (text) => readEnvoyStats(text)[0]!.counted,
  vmrange: (text) => readVmranges(text)[0]!.counted,
};

/** How far a bound in a vector may be from the true one: the library of VictoriaMetrics writes four digits of it. */
const ROUNDING: Readonly<Record<string, number>> = { circllhist: 1e-12, vmrange: 1e-3 };

describe.each(
  ['circllhist.json', 'vmrange.json']
    .flatMap(readVectors)
    .map((vector): [string, Vector] => [`${vector.form} of ${vector.madeBy}: ${vector.name}`, vector]),
)('%s', (_, { form, input, slots, values }) => {
  const found = listSlots(READERS[form]!(input));

  test('has the slots and counts that its library says', () => {
    expect(found.map(([, , count]) => count)).toEqual(slots.map(([, , count]) => count));
    for (const [at, [lower, upper]] of slots.entries()) {
      for (const [ours, theirs] of [
        [found[at]![0]!, lower],
        [Math.min(found[at]![1]!, Number.MAX_VALUE), upper],
      ] as const) {
        // Slots that contain 0 have no relative bound.
        expect(Math.abs(ours - theirs)).toBeLessThanOrEqual(
          Math.max(ROUNDING[form]! * Math.abs(theirs), 1e-100),
        );
      }
    }
  });

  test('counts each recorded value in a slot that contains it', () => {
    const left = found.map((slot) => [...slot]);
    for (const [value, count] of values) {
      const slot = left.find(([lower, upper, rest]) => rest! >= count && lower! <= value && upper! >= value);
      expect(slot).toBeDefined();
      slot![2]! -= count;
    }
    expect(left.every(([, , rest]) => rest === 0)).toBe(true);
  });
});

test('reads the buckets that Elasticsearch makes of single values', () => {
  // Computed by Elasticsearch, as the reference of ES|QL shows it for TO_EXPONENTIAL_HISTOGRAM:
  // https://www.elastic.co/docs/reference/query-languages/esql/functions-operators/type-conversion-functions/to_exponential_histogram
  const text =
    '{"scale":38,"sum":16.4,"min":0.1,"max":0.5,"positive":{"indices":[-913124641742,-638246734798,-477453466959,-363368827854,-274877906945],"counts":[3,7,23,12,6]}}';
  const { counted, sum, min, max } = readElasticsearch(text);
  expect([sum, min, max]).toEqual([16.4, 0.1, 0.5]);
  const values = [0.1, 0.2, 0.3, 0.4, 0.5];
  expect(listSlots(counted).map(([, , count]) => count)).toEqual([3, 7, 23, 12, 6]);
  for (const [at, [lower, upper]] of listSlots(counted).entries()) {
    expect(lower!).toBeLessThanOrEqual(values[at]!);
    expect(upper!).toBeGreaterThanOrEqual(values[at]!);
    expect(upper! / lower! - 1).toBeLessThan(1e-11);
  }
});
