import { caseCount } from '@hdrscope/testing/case-count';
import fc from 'fast-check';
import { ChaoticLog, followAgain, followLive, followText, keeping, losing } from './support/chaos.ts';

/** How many logs are rotated at random; each has ten rotations or so. */
const parameters = { numRuns: caseCount(3, 90), seed: 17 };

describe.each([
  ['all the time', followLive],
  ['again and again, with a memory', followAgain],
  ['as text', followText],
])('a log whose files begin alike, followed %s', (_, follow) => {
  test('comes line by line, each once, whatever the rotations', async () => {
    let rotations = 0;
    await fc.assert(
      fc.asyncProperty(keeping, async (steps) => {
        const log = new ChaoticLog(follow);
        await log.run(steps);
        rotations += log.rotations;
        expect(log.read.toSorted((a, b) => a - b)).toEqual(log.written);
        expect(log.notes).not.toContain('lost');
      }),
      parameters,
    );
    expect(rotations).toBeGreaterThan(8 * parameters.numRuns);
  });

  test('comes line by line, none twice, and a note says when some may be lost', async () => {
    await fc.assert(
      fc.asyncProperty(losing, async (steps) => {
        const log = new ChaoticLog(follow);
        await log.run(steps);
        expect(new Set(log.read).size).toBe(log.read.length);
        const read = new Set(log.read);
        if (log.written.some((line) => !read.has(line))) expect(log.notes).toContain('lost');
      }),
      parameters,
    );
  });
});
