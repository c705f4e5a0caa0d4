import { expect as whole } from 'expect';
import { QUICK_CHECKS } from '../jest/expect.js';

const VALUES: readonly unknown[] = [
  ...[undefined, null, true, 0, -0, 1, 2, Number.NaN, Number.POSITIVE_INFINITY, 1n, '', '1', Symbol.iterator],
  ...[[], [1], [1, undefined], {}, { a: 1 }, { a: 1, b: undefined }, { a: { b: [2] } }, new Set([1])],
  ...[new Map([[1, 2]]), new Date(0), new Error('x'), /x/, Uint8Array.of(1)],
  ...[expect.anything(), expect.any(Number), expect.objectContaining({ a: 1 })],
];

const passes = (judge: object, matcher: string, expected: unknown): boolean => {
  try {
    Reflect.get(judge, matcher).call(judge, expected);
    return true;
  } catch {
    return false;
  }
};

test.each(Object.keys(QUICK_CHECKS))('%s passes for the values for which it passes in Jest', (name) => {
  const unlike: unknown[][] = [];
  const found = new Set<boolean>();
  for (const actual of VALUES) {
    for (const expected of VALUES) {
      const passesInJest = passes(whole(actual), name, expected);
      found.add(passesInJest);
      if (passes(expect(actual), name, expected) !== passesInJest) unlike.push([actual, expected]);
      if (QUICK_CHECKS[name]!(actual, expected) && !passesInJest) unlike.push([actual, expected]);
    }
  }
  expect(unlike).toEqual([]);
  expect(found.size).toBe(2);
});

test('what holds is counted, and what fails has the line of the test first in its stack', () => {
  const { assertionCalls } = expect.getState();
  expect([1]).toEqual([1]);
  expect(1).toBeLessThan(2);
  expect(expect.getState().assertionCalls).toBe(assertionCalls + 2);
  let stack = '';
  try {
    expect(1).toBe(2);
  } catch (error) {
    ({ stack = '' } = error as Error);
  }
  expect(/\n +at (.*)/.exec(stack)![1]).toContain('jest-expect.test.ts');
});
