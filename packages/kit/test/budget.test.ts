import { costOf } from '@hdrscope/testing/cost';
import { expectRefused, refusalOf } from '@hdrscope/testing/refusals';
import fc from 'fast-check';
import { Budget, type BudgetLimits, parseJson } from '../src/index.ts';

function budget(limits: BudgetLimits): Budget {
  return new Budget('the body', limits);
}

describe('a budget', () => {
  test.each([
    ['bytes', (one: Budget) => one.takeBytes(1), 'the body must have at most 3 bytes'],
    ['elements', (one: Budget) => one.takeElements(), 'the body must have at most 3 elements'],
    ['depth', (one: Budget) => one.enter(), 'the body must have at most 3 levels'],
  ] as const)('allows as many %s as its limit, and no more', (limit, take, message) => {
    const one = budget({ [limit]: 3 });
    for (let i = 0; i < 3; i++) take(one);
    const { message: got, details } = refusalOf(() => take(one), 'ERR_TOO_LARGE');
    expect(got).toBe(message);
    expect(details).toEqual({ what: 'the body', limit, most: 3 });
  });

  test('counts levels that were left no more', () => {
    const one = budget({ depth: 2 });
    for (let i = 0; i < 9; i++) {
      one.enter();
      one.leave();
    }
    one.enter();
    one.enter();
    expectRefused(() => one.enter(), 'ERR_TOO_LARGE');
  });

  test('without limits allows everything', () => {
    const one = budget({});
    one.takeBytes(2 ** 53);
    one.takeElements(2 ** 53);
    for (let i = 0; i < 1000; i++) one.enter();
  });
});

describe('JSON from outside', () => {
  test('is what JSON.parse makes of it, whatever it is', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        expect(parseJson(text, 'the body', budget({ elements: text.length, depth: 100 }))).toEqual(
          JSON.parse(text),
        );
      }),
    );
  });

  test('has at least as many elements as it has arrays, objects and further items', () => {
    const count = (value: unknown): number => {
      if (typeof value !== 'object' || value === null) return 0;
      const items = Object.values(value);
      return items.reduce((sum: number, item) => sum + count(item), 1 + Math.max(0, items.length - 1));
    };
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        const elements = count(JSON.parse(text));
        parseJson(text, 'the body', budget({ elements }));
        if (elements === 0) return;
        const tooFew = budget({ elements: elements - 1 });
        expectRefused(() => parseJson(text, 'the body', tooFew), 'ERR_TOO_LARGE');
      }),
    );
  });

  test.each(['', '[', '{"a"}', '[1,]', '"\\', 'nul', '[1]]'])('that is broken is refused: %s', (text) => {
    const { message } = refusalOf(() => parseJson(text, 'the body', budget({})), 'ERR_DECODE');
    expect(message).toMatch(/^the body is not JSON: /);
  });

  test.each([
    ['brackets', '['.repeat(16e6)],
    ['closed brackets', `${'['.repeat(8e6)}${']'.repeat(8e6)}`],
    ['empty objects', `[${'{},'.repeat(5e6)}{}]`],
    ['numbers', `[${'1,'.repeat(8e6)}1]`],
    ['quotes', '"'.repeat(16e6)],
  ])('of 16 MB of %s ends at the first limit that it passes', (_what, text) => {
    const parse = () => parseJson(text, 'the body', budget({ elements: 100_000, depth: 64 }));
    const { cpuMs, grownMib } = costOf(() => expect(parse).toThrow());
    expect(cpuMs).toBeLessThan(1000);
    expect(grownMib).toBeLessThan(95);
  });
});
