import type { CountedUnit } from '@hdrscope/registry';
import fc from 'fast-check';
import {
  objectiveValue,
  parseObjective,
  type Question,
  questionOf,
  questionParams,
  WHY_PERCENTILES,
} from '../src/question.ts';

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 });
const range = fc
  .tuple(fc.nat(2 ** 40), fc.integer({ min: 1, max: 2 ** 40 }))
  .map(([fromMs, lengthMs]) => ({ fromMs, toMs: fromMs + lengthMs }));
const question: fc.Arbitrary<Question> = fc.record({
  pick: fc.option(text, { nil: undefined }),
  other: fc.option(text, { nil: undefined }),
  range: fc.option(range, { nil: undefined }),
  baseline: fc.option(range, { nil: undefined }),
  by: fc.option(fc.array(text, { maxLength: 4 }), { nil: undefined }),
  where: fc.array(text, { maxLength: 4 }),
  objectives: fc.array(
    fc.constantFrom(
      { percentile: 99.9, value: '250ms' },
      { percentile: 50, value: '4KiB' },
      { percentile: 100, value: '7' },
    ),
    { maxLength: 3 },
  ),
  why: fc.constantFrom(undefined, ...WHY_PERCENTILES),
  tab: fc.option(text, { nil: undefined }),
});

test('an address has the whole question', () => {
  fc.assert(
    fc.property(question, (asked) => {
      const address = questionParams(asked).toString();
      expect(questionOf(new URLSearchParams(address))).toEqual(asked);
    }),
  );
});

test('parts of an address that cannot be read are left out', () => {
  const params = new URLSearchParams(
    'time=5-3&before=x&by=%25E0%25A4%25A&slo=p101=1ms&slo=99.9=5ms&slo=p0=1s&slo=nonsense&why=98&other=',
  );
  expect(questionOf(params)).toEqual({
    ...{ pick: undefined, other: '', range: undefined, baseline: undefined, by: undefined, tab: undefined },
    why: undefined,
    ...{ where: [], objectives: [{ percentile: 99.9, value: '5ms' }] },
  });
  const many = new URLSearchParams(
    Array.from({ length: 500 }, (_, i): [string, string] => ['where', `a=${i}`]),
  );
  expect(questionOf(many).where).toHaveLength(64);
});

test.each([
  ['p99.9=250ms', 's', 0.25],
  ['99.9 <= 250 ms', 'ns', 250_000_000],
  ['p50≤1.5s', 'us', 1_500_000],
  ['p99=1m30s', 'ms', 90_000],
  ['p99=4KiB', 'bytes', 4096],
  ['p99=1MiB', 'KiB', 1024],
  ['max', 's', undefined],
  ['p100=12', 'none', 12],
  ['p99=12', 's', undefined],
  ['p99=12ms', 'bytes', undefined],
  ['p99=12ms', 'none', undefined],
] as const)('%s of a family in %s', (written, unit: CountedUnit, value) => {
  const objective = parseObjective(written);
  expect(objective && objectiveValue(objective, unit)).toBe(value);
});
