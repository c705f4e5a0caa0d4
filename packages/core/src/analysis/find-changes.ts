import { mustBe } from '../errors.ts';
import { assertFollows, custom, listOf, readOptions } from '../options.ts';
import { findOutliers, findStates, isDrift, LEAST_STATE, leastLength, type Rows } from './change-points.ts';
import { assertPercentile } from './checks.ts';
import {
  COMPARE_RULES,
  type CompareRunsOptions,
  changeOfFigures,
  described,
  type Found,
  meanFigure,
  type PercentileChange,
  scaleFor,
} from './compare-runs.ts';
import { assertOneKind, hasEnoughBeyond, type Run, readSide, type Side } from './known-runs.ts';
import { findFigure } from './run-percentile.ts';
import type { BoundedFigure } from './runs-difference.ts';

export { LEAST_STATE };

/** A build of a program, and its runs. */
export interface Build {
  /** Its name. No other build of the series has it. */
  readonly name: string;
  /** At least one. */
  readonly runs: readonly Run[];
}

/** A build since which percentiles differ. */
export interface BuildChange {
  /** The name of the first build after the change. */
  readonly since: string;
  /** The names of the builds between the change before and this one, without those that stand alone. */
  readonly before: readonly string[];
  /** The names of the builds from this change up to the next one, without those that stand alone. */
  readonly after: readonly string[];
  /** One entry for each percentile of the options: how the builds after differ from those before. */
  readonly percentiles: readonly PercentileChange[];
}

/** A build that stands alone: its percentile is far from those of the builds around it. Comparisons leave it out. */
export interface LoneBuild {
  /** The name of the build. */
  readonly name: string;
  /** The percentile that is farthest, from 0 to 100. */
  readonly percentile: number;
  /** That percentile of the build, in the unit of the values. */
  readonly value: number;
  /** The mean of the builds around it, in the unit of the values. */
  readonly usual: number;
}

/** How the percentiles of a program have changed over its builds. */
export interface BuildChanges {
  /** The changes, in the order of the builds. */
  readonly changes: readonly BuildChange[];
  /** The builds that stand alone, in their order. */
  readonly alone: readonly LoneBuild[];
  /** Whether straight lines over all builds fit the percentiles as well as the changes do: then no single build is to blame. */
  readonly isDrift: boolean;
  /** Percentiles that cannot be judged, because most builds have too few values beyond them. */
  readonly unjudged: readonly number[];
  /** The names of builds that take no part, because they have too few values beyond a percentile that most builds have. */
  readonly leftOut: readonly string[];
  /** How many builds must take part, at the confidence. With fewer, `changes` is empty, and nothing is judged. */
  readonly leastBuilds: number;
}

/**
 * Finds the builds since which percentiles of a program differ, among all of its last builds.
 *
 * Each build is one observation: the mean of the logarithms of its runs' percentiles. Equal builds are in an order that says nothing, so
 * a change is a step that random orders of the builds seldom have. With equal builds there is a change of any percentile in at most a part
 * `1 - confidence` of the series, whatever the noise between builds is. Noise that lasts over several builds, such as a slow machine for
 * a week, is a change of its own.
 *
 * The size of a change, with its interval and verdict, is the comparison of `compareRuns` between the builds before and after it, where
 * the spread of all states together is the evidence. Its interval holds for all percentiles of a change together. A change that
 * no percentile shows in its interval is left out. A state has at least three builds.
 *
 * @throws HdrscopeError `ERR_INCOMPATIBLE` when a build has no run, a run is empty, two builds have one name, or integers meet doubles;
 *   `ERR_INVALID_OPTION` when an option does not exist or is out of range, such as a confidence above 0.9999; `ERR_INVALID_VALUE` when
 *   a percentile is.
 * @example
 * ```ts
 * import { findChanges, Histogram } from '@hdrscope/core';
 *
 * const builds = Array.from({ length: 20 }, (_, build) => {
 *   const values = new Histogram({ highestTrackableValue: 1_000_000 });
 *   const speed = (build < 12 ? 10 : 12) + 0.1 * Math.sin(build ** 2);
 *   for (let value = 1; value <= 2000; value++) values.record(Math.round(value * speed));
 *   return { name: `build ${build}`, runs: [{ values }] };
 * });
 * const [change] = findChanges(builds, { percentiles: [50, 99], tolerance: 0.05 }).changes;
 * change?.since; //=> 'build 12'
 * change?.percentiles.map(({ change }) => change); //=> ['worse', 'worse']
 * ```
 */
export function findChanges(builds: readonly Build[], options: CompareRunsOptions): BuildChanges {
  const { percentiles, confidence, tolerance } = readOptions(options, FIND_CHANGES);
  for (const percentile of percentiles) assertPercentile(percentile);
  if (confidence > MOST_CONFIDENCE) {
    throw mustBe('ERR_INVALID_OPTION', 'findChanges: confidence', `at most ${MOST_CONFIDENCE}`, confidence);
  }
  const all = readBuilds(builds);
  const isKnown = (percentile: number): boolean =>
    2 * all.filter(({ runs }) => hasEnoughBeyond(runs, percentile)).length > all.length;
  const judged = percentiles.filter(isKnown);
  const known = all.filter(({ runs }) => judged.every((percentile) => hasEnoughBeyond(runs, percentile)));
  const level = 1 - confidence;
  const leastBuilds = leastLength(level);
  const unjudged = percentiles.filter((percentile) => !judged.includes(percentile));
  const leftOut = all.filter((build) => !known.includes(build)).map(({ name }) => name);
  if (judged.length === 0 || known.length < leastBuilds) {
    return { changes: [], alone: [], isDrift: false, unjudged, leftOut, leastBuilds };
  }
  const series = percentiles.map((percentile) => seriesOf(known, percentile));
  const used = series.filter(({ percentile }) => judged.includes(percentile));
  const rows = used.map(({ row }) => row);
  const bounds = findStates(rows, level);
  for (;;) {
    const found = describeStates(known, { series, used, rows, bounds, level, tolerance });
    const unshown = found.changes.findIndex((change) => !change.percentiles.some(isShown));
    if (unshown < 0) return { ...found, unjudged, leftOut, leastBuilds };
    bounds.splice(unshown + 1, 1);
  }
}

/** What there is to say of the states between bounds. */
function describeStates(
  known: readonly KnownBuild[],
  { series, used, rows, bounds, level, tolerance }: DividedSeries,
): Pick<BuildChanges, 'changes' | 'alone' | 'isDrift'> {
  const widths = used.map(({ width }) => width);
  const outliers = findOutliers(rows, widths, bounds, level).sort((a, b) => a.at - b.at);
  const aside = new Set(outliers.map(({ at }) => at));
  const states = membersOf(bounds, aside);
  const namesIn = (state: number): string[] => states[state]!.map((at) => known[at]!.name);
  const miss = level / 2 / used.length;
  const percentilesAt = (at: number): PercentileChange[] =>
    series.map((one) => {
      const found = changeIn(one, states, at, miss);
      return described(
        one.percentile,
        used.includes(one) ? found : { ...found, reason: 'few values' },
        tolerance,
      );
    });
  const changes = states.slice(1).map((_, at): BuildChange => {
    const [before, after] = [namesIn(at), namesIn(at + 1)];
    return { since: after[0]!, before, after, percentiles: percentilesAt(at) };
  });
  const alone = outliers.map(({ at, row }): LoneBuild => {
    const state = states[bounds.findLastIndex((start) => start <= at)]!;
    return { name: known[at]!.name, ...loneBuildIn(used[row]!, state, at) };
  });
  return { changes, alone, isDrift: changes.length > 0 && isDrift(rows, bounds, aside) };
}

/** The percentiles of all builds, divided into states. */
interface DividedSeries {
  readonly series: readonly Series[];
  /** Those that are judged. */
  readonly used: readonly Series[];
  /** The figures of `used`. */
  readonly rows: Rows;
  /** The starts of the states, and the end of the last one. */
  readonly bounds: readonly number[];
  /** The part of equal series that have a change. */
  readonly level: number;
  readonly tolerance: number;
}

/** There are as many random orders as the error is small. */
const MOST_CONFIDENCE = 0.9999;

const FIND_CHANGES = {
  name: 'findChanges',
  rules: COMPARE_RULES,
  call: 'findChanges(builds, { percentiles: [50, 99] })',
};

interface KnownBuild {
  readonly name: string;
  readonly runs: Side;
}

const namedBuilds = /* @__PURE__ */ listOf<Build>(
  /* @__PURE__ */ custom('a build', (one) => typeof (one as Build | null)?.name === 'string'),
  'builds { name, runs }',
);

/** @throws HdrscopeError `ERR_INVALID_OPTION` for other values; `ERR_INCOMPATIBLE` */
function readBuilds(builds: readonly Build[]): KnownBuild[] {
  assertFollows('findChanges: builds', namedBuilds, builds);
  const names = new Set<string>();
  const known = builds.map(({ name, runs }: Build): KnownBuild => {
    if (names.has(name))
      throw mustBe('ERR_INCOMPATIBLE', 'findChanges: the name of a build', 'of one build only', name);
    names.add(name);
    return { name, runs: readSide(runs, 'findChanges', 'build', name) };
  });
  assertOneKind(known.flatMap(({ runs }) => runs));
  return known;
}

// Figures.

/** A percentile of all builds. */
interface Series {
  readonly percentile: number;
  /** The percentile of each build, in the unit of the values. */
  readonly figures: readonly BoundedFigure[];
  /** The percentile of each build, on the scale of comparisons. */
  readonly row: Float64Array;
  /** The variance that the widths of slots add on the scale. */
  readonly width: number;
}

function seriesOf(builds: readonly KnownBuild[], percentile: number): Series {
  const ofRuns = builds.map(({ runs }) => runs.map((run) => findFigure(run, percentile)));
  const scale = scaleFor(ofRuns.flat());
  const figures = ofRuns.map((ofBuild) => meanFigure(ofBuild, scale));
  const row = Float64Array.from(figures, ({ value }) => scale.of(value));
  const widths = figures.map(({ lower, upper }) => (scale.of(upper) - scale.of(lower)) ** 2 / 12);
  return { percentile, figures, row, width: widths.reduce((sum, one) => sum + one, 0) / widths.length };
}

/** The places of the builds in each state, without those that are set aside. */
function membersOf(bounds: readonly number[], aside: ReadonlySet<number>): number[][] {
  return bounds.slice(1).map((end, i) => {
    const start = bounds[i]!;
    return Array.from({ length: end - start }, (_, at) => start + at).filter((at) => !aside.has(at));
  });
}

/** How the state at an index differs from the next one. */
function changeIn(
  { figures }: Series,
  states: readonly (readonly number[])[],
  at: number,
  miss: number,
): Found {
  const all = states.map((state) => state.map((place) => figures[place]!));
  return changeOfFigures(all[at]!, all[at + 1]!, miss, all);
}

function isShown({ change }: PercentileChange): boolean {
  return change !== 'no significant difference' && change !== 'cannot be judged';
}

/** @param state The places of the builds around it. */
function loneBuildIn(
  { percentile, figures }: Series,
  state: readonly number[],
  at: number,
): Omit<LoneBuild, 'name'> {
  const around = state.map((place) => figures[place]!);
  const usual = meanFigure(around, scaleFor(around)).value;
  return { percentile, value: figures[at]!.value, usual };
}
