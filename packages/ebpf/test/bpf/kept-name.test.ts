import { mayBeCut } from '../../src/bpf/memory.ts';
import { keptName } from '../../src/internal.ts';

test.each([
  ['queue_hist', 'queue_hist', false],
  ['fifteen_letters', 'fifteen_letters', true],
  ['sixteen_letters_', 'sixteen_letters', true],
  ['\0hidden', '', false],
])('the kernel keeps of %j the name %j', (name, kept, isCut) => {
  expect(keptName(name)).toBe(kept);
  expect(mayBeCut(kept)).toBe(isCut);
});
