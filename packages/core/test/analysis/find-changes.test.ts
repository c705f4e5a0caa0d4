import { type BuildChanges, findChanges, Histogram } from '@hdrscope/core';
import type { Build, CompareRunsOptions } from '@hdrscope/core/internal';
import { caseCount } from '@hdrscope/testing/case-count';
import { Draws } from '@hdrscope/testing/load-models';
import fc from 'fast-check';

const ASKED = { percentiles: [50, 90, 99] };

/** 4000 values from 1 to 10 000 times a speed, evenly. */
function runAt(speed: number, each = 40): { values: Histogram } {
  const values = new Histogram({ storage: 'sparse', significantDigits: 4 });
  for (let value = 1; value <= 100; value++) values.record(Math.round(value * 10_000 * speed), each);
  return { values };
}

/** A build for each speed, named by its place. */
function buildsAt(speeds: readonly number[]): Build[] {
  return speeds.map((speed, at) => ({ name: `build ${at}`, runs: [runAt(speed)] }));
}

/** Speeds around 1 with a deviation, times a plan. */
function speedsOf(draws: Draws, count: number, plan: (at: number) => number = () => 1, deviation = 0.02) {
  return Array.from({ length: count }, (_, at) => plan(at) * Math.exp(deviation * draws.normal()));
}

const placesOf = ({ changes }: BuildChanges): number[] => changes.map(({ since }) => Number(since.slice(6)));

function placesIn(speeds: readonly number[], options: CompareRunsOptions = ASKED): number[] {
  return placesOf(findChanges(buildsAt(speeds), options));
}

describe('a series of builds', () => {
  test('a step is a change since its build, with the interval of both states', () => {
    const draws = new Draws(1);
    const { changes, alone, isDrift } = findChanges(
      buildsAt(speedsOf(draws, 30, (at) => (at < 15 ? 1 : 1.1))),
      { ...ASKED, tolerance: 0.05 },
    );
    expect([changes.map(({ since }) => since), alone, isDrift]).toEqual([['build 15'], [], false]);
    const [{ before, after, percentiles }] = changes as [(typeof changes)[0]];
    expect([before.length, after.length]).toEqual([15, 15]);
    for (const { change, relativeInterval } of percentiles) {
      expect(change).toBe('worse');
      expect(relativeInterval.lower).toBeLessThan(0.1);
      expect(relativeInterval.upper).toBeGreaterThan(0.1);
      expect(relativeInterval.upper - relativeInterval.lower).toBeLessThan(0.1);
    }
  });

  test('a change that is undone later is two changes', () => {
    const speeds = speedsOf(new Draws(2), 30, (at) => (at >= 10 && at < 20 ? 1.1 : 1));
    const { changes } = findChanges(buildsAt(speeds), ASKED);
    expect(changes.map(({ since }) => since)).toEqual(['build 10', 'build 20']);
    expect(changes.map(({ percentiles }) => percentiles[0]!.change)).toEqual(['worse', 'better']);
  });

  test('the newest three builds can be a state', () => {
    expect(placesIn(speedsOf(new Draws(3), 30, (at) => (at < 27 ? 1 : 1.15)))).toEqual([27]);
  });

  test.each([
    ['in the middle', [12]],
    ['at the end', [29]],
    ['twice at the end', [28, 29]],
  ])('builds that are slow alone %s are alone, and no change', (_, slow) => {
    const speeds = speedsOf(new Draws(4), 30, (at) => (slow.includes(at) ? 1.5 : 1));
    const { changes, alone } = findChanges(buildsAt(speeds), ASKED);
    expect(changes).toEqual([]);
    expect(alone.map(({ name }) => name)).toEqual(slow.map((at) => `build ${at}`));
    for (const { value, usual } of alone) expect(value / usual).toBeCloseTo(1.5, 0);
  });

  test('a build that stands alone hides no change', () => {
    const speeds = speedsOf(new Draws(5), 30, (at) => (at === 7 ? 1.6 : 1) * (at < 15 ? 1 : 1.1));
    const { changes, alone } = findChanges(buildsAt(speeds), ASKED);
    expect([changes.map(({ since }) => since), alone.map(({ name }) => name)]).toEqual([
      ['build 15'],
      ['build 7'],
    ]);
    expect(changes[0]!.before).not.toContain('build 7');
  });

  test('a slow drift is called one', () => {
    const { isDrift } = findChanges(buildsAt(speedsOf(new Draws(6), 30, (at) => 1 + at / 60)), ASKED);
    expect(isDrift).toBe(true);
  });

  test('percentiles that only some values reach change alone', () => {
    const draws = new Draws(7);
    const builds = speedsOf(draws, 24).map((speed, at) => {
      const { values } = runAt(speed);
      if (at >= 12) values.record(2 * values.max, values.totalCount / 50);
      return { name: `build ${at}`, runs: [{ values }] };
    });
    const [{ since, percentiles }] = findChanges(builds, { percentiles: [50, 99] }).changes as [
      BuildChanges['changes'][0],
    ];
    expect(since).toBe('build 12');
    expect(percentiles.map(({ change }) => change)).toEqual(['no significant difference', 'worse']);
  });

  test('equal builds without any noise have no change, and a step without noise is one', () => {
    expect(placesIn(Array.from({ length: 20 }, () => 1))).toEqual([]);
    expect(placesIn(Array.from({ length: 20 }, (_, at) => (at < 8 ? 1 : 1.2)))).toEqual([8]);
  });

  test('too few builds have no verdict', () => {
    const leastOf = (confidence: number) => findChanges([], { ...ASKED, confidence }).leastBuilds;
    expect([leastOf(0.9), leastOf(0.99), leastOf(0.999)]).toEqual([9, 12, 16]);
    const step = (count: number) => placesIn(Array.from({ length: count }, (_, at) => (at < 6 ? 1 : 2)));
    expect([step(11), step(12)]).toEqual([[], [6]]);
  });

  test('a percentile that most builds do not reach is not judged', () => {
    const { unjudged, changes } = findChanges(
      buildsAt(speedsOf(new Draws(8), 20, (at) => (at < 10 ? 1 : 1.2))),
      { percentiles: [50, 99.9] },
    );
    expect(unjudged).toEqual([99.9]);
    expect(changes[0]!.percentiles.map(({ change }) => change)).toEqual(['worse', 'cannot be judged']);
  });

  test('a build with few values takes no part, and has its name', () => {
    const builds = buildsAt(speedsOf(new Draws(9), 20, (at) => (at < 10 ? 1 : 1.2)));
    const short = builds.map((build, at) => (at === 3 ? { ...build, runs: [runAt(9, 1)] } : build));
    const { leftOut, changes } = findChanges(short, ASKED);
    expect([leftOut, changes.map(({ since }) => since)]).toEqual([['build 3'], ['build 10']]);
  });

  test('values of 0 have differences', () => {
    const zeros = new Histogram();
    zeros.record(0, 4000);
    const builds = Array.from({ length: 20 }, (_, at) => ({
      name: String(at),
      runs: [at < 10 ? { values: zeros } : runAt(1 + at / 1000)],
    }));
    const [{ since, percentiles }] = findChanges(builds, ASKED).changes as [BuildChanges['changes'][0]];
    expect([since, percentiles[0]!.change, percentiles[0]!.relative]).toEqual(['10', 'worse', Number.NaN]);
  });

  test.each<[string, () => unknown, string]>([
    [
      'two builds of one name',
      () => findChanges([...buildsAt([1]), ...buildsAt([1])], ASKED),
      'ERR_INCOMPATIBLE',
    ],
    ['a build without runs', () => findChanges([{ name: 'a', runs: [] }], ASKED), 'ERR_INCOMPATIBLE'],
    ['a confidence of 1', () => findChanges([], { ...ASKED, confidence: 0.99999 }), 'ERR_INVALID_OPTION'],
    ['a percentile of 101', () => findChanges([], { percentiles: [101] }), 'ERR_INVALID_VALUE'],
  ])('%s is refused', (_, call, code) => {
    expect(call).toThrow(expect.objectContaining({ code }));
  });
});

describe('laws', () => {
  const step = fc.record({
    seed: fc.nat(),
    at: fc.integer({ min: 5, max: 20 }),
    growth: fc.constantFrom(1, 0.8, 1.3),
  });
  const speedsIn = ({ seed, at: change, growth }: { seed: number; at: number; growth: number }): number[] =>
    speedsOf(new Draws(seed), 25, (at) => (at < change ? 1 : growth));
  const runs = { numRuns: caseCount(8, 300) };

  test('builds that are all four times as slow have the same changes', () => {
    fc.assert(
      fc.property(step, (one) => {
        const speeds = speedsIn(one);
        const [found, slower] = [speeds, speeds.map((speed) => 4 * speed)].map((all) =>
          findChanges(buildsAt(all), ASKED),
        ) as [BuildChanges, BuildChanges];
        expect(placesOf(slower)).toEqual(placesOf(found));
        for (const [i, { percentiles }] of found.changes.entries()) {
          const others = slower.changes[i]!.percentiles;
          expect(others.map(({ change }) => change)).toEqual(percentiles.map(({ change }) => change));
          expect(others[0]!.relative).toBeCloseTo(percentiles[0]!.relative, 3);
        }
      }),
      runs,
    );
  });

  test('builds in the opposite order have the same changes, better ones for worse ones', () => {
    fc.assert(
      fc.property(step, ({ growth, ...one }) => {
        // A step that is clear in each series: random orders differ between the two.
        const speeds = speedsIn({ ...one, growth: growth === 1 ? 1.2 : growth });
        const forth = findChanges(buildsAt(speeds), ASKED);
        const back = findChanges(buildsAt([...speeds].reverse()), ASKED);
        expect(forth.changes).not.toEqual([]);
        if (forth.changes.length > 1 || back.changes.length > 1) return;
        // A build that stands alone beside the step belongs to neither state, so the builds of both are compared, and not the first one.
        const turned = (names: readonly string[]): string[] =>
          names.map((name) => `build ${speeds.length - 1 - Number(name.slice(6))}`).reverse();
        expect(back.changes.map(({ before, after }) => [before, after])).toEqual(
          forth.changes.map(({ before, after }) => [turned(after), turned(before)]),
        );
        const flip = { worse: 'better', better: 'worse' } as Record<string, string>;
        expect(back.changes[0]!.percentiles.map(({ change }) => change)).toEqual(
          forth.changes[0]!.percentiles.map(({ change }) => flip[change] ?? change),
        );
      }),
      { ...runs, examples: [[{ seed: 12, at: 20, growth: 1 }]] },
    );
  });

  test('runs of a build may come in any order', () => {
    fc.assert(
      fc.property(step, (one) => {
        const draws = new Draws(one.seed);
        const builds = buildsAt(speedsIn(one)).map(({ name, runs }) => ({
          name,
          runs: [...runs, runAt(Math.exp(0.02 * draws.normal())), runAt(Math.exp(0.02 * draws.normal()))],
        }));
        const turned = builds.map(({ name, runs }) => ({ name, runs: [...runs].reverse() }));
        const [found, other] = [findChanges(builds, ASKED), findChanges(turned, ASKED)];
        expect(placesOf(other)).toEqual(placesOf(found));
        expect(findChanges(builds, ASKED)).toEqual(found);
      }),
      { numRuns: caseCount(2, 100) },
    );
  });
});

describe('rates', () => {
  // Of 60 series at 1 %, more than 4 have one in a run of 3000.
  test('equal builds seldom have a change, and a tenth more is found at its build', () => {
    const draws = new Draws(11);
    let [falseAlarms, found] = [0, 0];
    const cases = caseCount(20, 60);
    for (let i = 0; i < cases; i++) {
      if (placesIn(speedsOf(draws, 30)).length > 0) falseAlarms++;
      const places = placesIn(speedsOf(draws, 30, (at) => (at < 15 ? 1 : 1.1)));
      if (places.some((at) => Math.abs(at - 15) <= 1)) found++;
    }
    expect(falseAlarms).toBeLessThanOrEqual(cases / 15);
    expect(found).toBeGreaterThanOrEqual(cases * 0.95);
  });
});
