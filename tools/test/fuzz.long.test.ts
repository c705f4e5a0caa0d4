import { lackOfProgram, testUnless } from '@hdrscope/testing';
import { caseCount } from '@hdrscope/testing/case-count';
import { TARGETS } from '../fuzz/targets.js';
import { fuzz, SEED } from './fuzzing.ts';

const CASES = caseCount(3000, 100_000);
const PROGRAMS = caseCount(30, 1000);

test('every decoder and parser gives a value or an expected error for inputs that are nearly right', async () => {
  const { code, output } = await fuzz('--cases', String(CASES), '--seed', String(SEED));
  expect([code, output]).toEqual([0, expect.any(String)]);
  const rows = [...output.matchAll(/^(\S+) +(\d+) cases, (\d+) % accepted/gm)];
  expect(rows.map(([, name]) => name)).toEqual(Object.keys(TARGETS));
  expect(rows.reduce((sum, [, , ran]) => sum + Number(ran), 0)).toBeGreaterThanOrEqual(CASES);
  // A target that refuses everything proves nothing.
  expect(rows.filter(([, , , share]) => share === '0').map(([row]) => row)).toEqual([]);
}, 900_000);

testUnless(lackOfProgram('java'))(
  'random programs over the API of Histogram give what Java gives',
  async () => {
    const { code, output } = await fuzz('java', '--cases', String(PROGRAMS), '--seed', String(SEED));
    expect([code, output]).toEqual([0, expect.any(String)]);
    const [reason] = /skipped: .*/.exec(output) ?? [];
    if (reason === undefined) expect(output).toMatch(new RegExp(`${PROGRAMS} programs in .* 0 findings`));
    else console.log(reason);
  },
  600_000,
);
