import { recordSample } from '@hdrscope/registry/internal';
import { caseCount } from '@hdrscope/testing/case-count';
import { createRandom } from '@hdrscope/testing/random';
import { drawSample, findMostByChance, SAMPLINGS, type Sampling } from '@hdrscope/testing/sampling';
import type { ChangesMessage, DetailMessage } from '../../src/messages.ts';
import { NO_QUESTION } from '../../src/question.ts';
import { START_MS, TimedPage } from '../support-history.ts';

const RUNS = caseCount(40, 400);
const ROUTES = ['/a', '/b', '/c', '/d'];
const MINUTE_MS = 60_000;

/** How many values a route has in a minute, and by how much they are larger. */
type Load = (route: string, minute: number) => { readonly size: number; readonly slower?: number };

/** A page that has seen samples of some minutes. */
async function pageOf(sampling: Sampling, seed: number, minutes: number, load: Load): Promise<TimedPage> {
  const page = new TimedPage();
  const family = page.family();
  const random = createRandom(seed);
  await page.update();
  for (let minute = 0; minute < minutes; minute++) {
    for (let part = 0; part < 4; part++) {
      for (const route of ROUTES) {
        const { size, slower = 1 } = load(route, minute);
        if (size === 0) continue;
        const series = family.with({ route });
        for (const [value, weight] of drawSample(sampling, size / 4, random)) {
          recordSample(series, 0.01 * slower * (1 - value) ** -0.4, weight);
        }
      }
      await page.pass(MINUTE_MS / 4);
    }
  }
  return page;
}

const compareMinutes = async (page: TimedPage): Promise<DetailMessage> => {
  const range = (minute: number) => ({
    fromMs: START_MS + minute * MINUTE_MS,
    toMs: START_MS + (minute + 1) * MINUTE_MS,
  });
  const { detail } = await page.ask({
    ...{ by: [], pick: 'rpc.duration', range: range(1), baseline: range(0) },
    // The value at p90 of the population, 0.01 * 10 ** 0.4.
    objectives: [{ percentile: 90, value: `${10 * 10 ** 0.4}ms` }],
  });
  return detail!;
};

describe.each(Object.entries(SAMPLINGS))('where %s', (name, sampling) => {
  test('a comparison of equal times and an objective at its limit have no verdict beyond chance', async () => {
    const found = { compared: 0, kept: 0, missed: 0, undecided: 0 };
    for (let run = 1; run <= RUNS; run++) {
      const page = await pageOf(sampling, run, 2, () => ({ size: 4000 }));
      const { comparison, objectives } = await compareMinutes(page);
      const { before, changes } = comparison!;
      if (changes.some(({ verdict }) => verdict === 'worse' || verdict === 'better')) found.compared++;
      found[objectives[0]!.verdict]++;
      expect(before.asGoodAs).toBe(Math.floor(before.count / (name.includes('100') ? 100 : 10)));
    }
    expect(found.compared).toBeLessThanOrEqual(findMostByChance(RUNS, 4 * 0.01));
    expect(found.kept + found.missed).toBeLessThanOrEqual(findMostByChance(RUNS, 0.01));
  });

  test('a row that became much slower is worse', async () => {
    const page = await pageOf(sampling, 1, 2, (_, minute) => ({
      size: 10_000,
      slower: minute === 1 ? 20 : 1,
    }));
    const { comparison, objectives } = await compareMinutes(page);
    expect(comparison!.changes[0]!.verdict).toBe('worse');
    expect(objectives[0]!.verdict).toBe('missed');
  });

  const rank = async (seed: number, load: Load): Promise<ChangesMessage> => {
    const page = await pageOf(sampling, seed, 6, load);
    return (await page.answers.changes(NO_QUESTION)).changes!;
  };

  test('rows without a change are not named, new ones and rare ones neither', async () => {
    for (let run = 1; run <= RUNS / 4; run++) {
      const { rows, errors } = await rank(run, (route, minute) => ({
        size: route === '/b' ? (minute === 5 ? 400 : 0) : route === '/c' ? 40 : 2000,
      }));
      expect([rows, errors]).toEqual([[], []]);
    }
  }, 600_000);

  test('a row that became much slower is named', async () => {
    const { rows } = await rank(1, (route, minute) => ({
      size: 10_000,
      slower: route === '/c' && minute === 5 ? 20 : 1,
    }));
    expect(rows.map(({ label }) => label)).toEqual(['rpc.duration route=/c']);
  });
});

test('a comparison of values that all came does not say so', async () => {
  const page = await pageOf(
    () => 1,
    1,
    2,
    () => ({ size: 400 }),
  );
  const { comparison } = await compareMinutes(page);
  expect(comparison!.before).toEqual({ name: 'the compared time', count: 1600 });
});
