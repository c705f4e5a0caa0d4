import { caseCount } from '@hdrscope/testing/case-count';
import { createRandom } from '@hdrscope/testing/random';
import { drawSample, findMostByChance, SAMPLINGS } from '@hdrscope/testing/sampling';
import { shareDuckDb } from '@hdrscope/testing/shared-duckdb';
import { hdrscope } from '../support/fake-io.ts';
import { writeHistory } from '../support/history-rows.ts';
import { useFolder } from '../support/logs.ts';

shareDuckDb();

const folder = useFolder();

/** A history of two minutes, of each of which a client has sent one of ten values. @param slower In the second one. */
async function writeMinutes(name: string, seed: number, slower: number): Promise<string> {
  const random = createRandom(seed);
  const history = folder.pathOf(name);
  await writeHistory(
    history,
    [1, slower].map((factor, i) => {
      const counts: Record<number, number> = {};
      for (const [value, weight] of drawSample(SAMPLINGS['each value stands for 10']!, 4000, random)) {
        const ms = Math.ceil(100 * factor * (1 + value));
        counts[ms] = (counts[ms] ?? 0) + weight;
      }
      return [`2026-11-10T0${i}:00:00`, {}, counts] as const;
    }),
    { weight: 10 },
  );
  return history;
}

const compare = async (history: string): Promise<string> => {
  const ranges = ['--before', '2026-11-10T00:00/10m', '--after', '2026-11-10T01:00/10m'];
  const options = [...ranges, '--percentiles', '50,90', '--confidence', '0.9'];
  const { exitCode, stdout, stderr } = await hdrscope(['query', history, '--metric', 'rpc', ...options]);
  expect([exitCode, stderr]).toEqual([0, '']);
  return stdout;
};

test('two samples of equal programs seldom differ, and the heading says what a sample is as good as', async () => {
  const runs = caseCount(30, 300);
  let found = 0;
  for (let run = 1; run <= runs; run++) {
    const text = await compare(await writeMinutes(`equal-${run}`, run, 1));
    const [, count, asGoodAs] =
      /^2026-11-10 00:00 to 00:10 \(([\d,]+) values, a sample: as good as (\d+)\)/.exec(text) ?? [];
    expect(Number(count?.replace(',', ''))).toBe(10 * Number(asGoodAs));
    if (/(slower|faster) in this run/.test(text)) found++;
  }
  expect(found).toBeLessThanOrEqual(findMostByChance(runs, 0.1));
});

test('a program that is much slower is found by a sample', async () => {
  expect(await compare(await writeMinutes('slower', 1, 2))).toMatch(/p50 .* slower in this run\n/);
});
