import { counterSteps } from '../../src/counting/counter-steps.ts';

test.each([
  ['grows', 64, [100, 5], [130, 5], [30, 0], false],
  ['is reset', 64, [100, 5], [3, 7], [3, 2], true],
  ['passes 2^32', 32, [2 ** 32 - 3, 0], [4, 0], [7, 0], false],
  ['passes 2^32 to 0', 32, [2 ** 32 - 1], [0], [1], false],
  ['of 64 bits does not pass 2^32', 64, [2 ** 32 - 3], [4], [4], true],
  ['is reset in its lower half', 32, [2 ** 31 - 1], [4], [4], true],
  ['is reset within its upper half', 32, [2 ** 32 - 3], [2 ** 31], [2 ** 31], true],
  ['was reset, as another one shows', 32, [2 ** 32 - 3, 100], [4, 2], [4, 2], true],
] as const)('a counter that %s', (_, bits, before, now, steps, isReset) => {
  const result = counterSteps(Float64Array.from(before), Float64Array.from(now), bits);
  expect([[...result.steps], result.isReset]).toEqual([steps, isReset]);
});
