import { recogniseText } from '@hdrscope/interval-log/parser';
import { costOf } from '@hdrscope/testing/cost';
import { describeAnyBytes } from './support/any-bytes.ts';

describeAnyBytes(50);

test.each([
  ['digits', `  Latency Distribution\n 50% ${'1'.repeat(1_000_000)}\n`],
  ['spaces', ' '.repeat(1_000_000)],
  ['lines of spaces', `${' '.repeat(100)}\n`.repeat(10_000)],
  ['commas', `x${' ,HIS'.repeat(200_000)}`],
  ['rows', `  Latency Distribution\n${' 50% 1ms\n'.repeat(100_000)} x`],
  ['titles', '"Value" '.repeat(100_000)],
])('a text of 1 MB of %s is recognised at little cost', (_, beginning) => {
  expect(costOf(() => recogniseText(beginning)).cpuMs).toBeLessThan(2000);
});
