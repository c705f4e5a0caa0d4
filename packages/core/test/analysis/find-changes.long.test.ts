import { findChanges, Histogram } from '@hdrscope/core';
import { caseCount } from '@hdrscope/testing/case-count';
import { Draws, LOAD_MODELS, type ModelRun } from '@hdrscope/testing/load-models';
import './find-changes.test.ts';

const SHAPE = { seconds: 10, rate: 250 };
const CASES = caseCount(20, 200);

function histogramOf({ values }: ModelRun, slower: number): Histogram {
  const histogram = new Histogram({ storage: 'sparse' });
  for (const value of values) histogram.record(Math.round(value * slower * 1e6));
  return histogram;
}

/** The builds since which percentiles differ, in a series of 30 of which those from the middle on are slower. */
function placesIn(name: string, draws: Draws, growth: number): number[] {
  const builds = Array.from({ length: 30 }, (_, at) => {
    const values = histogramOf(LOAD_MODELS[name]!(draws, 1, SHAPE), at < 15 ? 1 : 1 + growth);
    return { name: String(at), runs: [{ values }] };
  });
  return findChanges(builds, { percentiles: [50, 90, 99] }).changes.map(({ since }) => Number(since));
}

test.each(Object.keys(LOAD_MODELS))('equal builds seldom have a change: %s', (name) => {
  const draws = new Draws(17);
  let falseAlarms = 0;
  for (let i = 0; i < CASES; i++) if (placesIn(name, draws, 0).length > 0) falseAlarms++;
  // Of 200 series at 1 %, more than 8 have one in a run of 4000.
  expect(falseAlarms).toBeLessThanOrEqual(Math.max(2, 0.04 * CASES));
});

test('a tenth more is found at its build where runs differ by 2 %', () => {
  const draws = new Draws(18);
  let found = 0;
  for (let i = 0; i < CASES; i++) {
    if (placesIn('speed of runs, sd 2 %', draws, 0.1).some((at) => Math.abs(at - 15) <= 1)) found++;
  }
  expect(found).toBeGreaterThanOrEqual(0.95 * CASES);
});
