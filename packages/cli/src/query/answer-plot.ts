import type { HistoryGroup } from '@hdrscope/history';
import type { Curve, CurvePoint, PercentilePlot, Plot, TimePlot } from '@hdrscope/plot';
import { Refusal } from '../command.ts';
import { percentileTitle } from '../format.ts';
import { scaled } from '../value-scale.ts';
import { type Asked, valueAt } from './answer-text.ts';
import { plotTitle, type ShownGroup, shownGroups } from './groups.ts';

// A picture with more lines shows nothing.
const MOST_LINES = 100;

const NINES = 6;
const STEPS_OF_NINE = 9;

/** The percentiles that a curve is made of: nine for each nine. */
export const CURVE_PERCENTILES: readonly number[] = Array.from({ length: NINES * STEPS_OF_NINE }, (_, at) => {
  const nine = Math.floor(at / STEPS_OF_NINE);
  const rest = 10 ** -nine * (1 - ((at % STEPS_OF_NINE) + 1) / 10);
  return Number((100 * (1 - rest)).toPrecision(12));
});

/**
 * The answer as plots, one for each unit: percentiles over time when the question has buckets of time, else a curve for each group.
 *
 * @throws Refusal when a plot would have too many lines.
 */
export function answerPlots(groups: readonly HistoryGroup[], asked: Asked): Plot[] {
  const { units } = shownGroups(groups, asked.metric, asked.by);
  return units.map((shown) => {
    const name = plotTitle(asked.metric, shown[0]!);
    return asked.everyMs === undefined ? curves(shown, name) : overTime(shown, name, asked, asked.everyMs);
  });
}

function curves(shown: readonly ShownGroup[], title: string): PercentilePlot {
  assertFew(shown.length, 'curves');
  return { kind: 'percentiles', title, unit: shown[0]!.unit, curves: shown.map(curveOf) };
}

function curveOf({ group, name, scale }: ShownGroup): Curve {
  const { count, max } = group;
  const known = CURVE_PERCENTILES.filter((percentile) => (1 - percentile / 100) * count >= 1);
  // Between two percentiles the curve is a straight line.
  const points = [...known, 100].map(
    (percentile): CurvePoint => ({
      percentile,
      from: percentile,
      value: scaled(percentile === 100 ? max : Math.min(max, valueAt(group, percentile)), scale),
    }),
  );
  return { name, points, totalCount: count };
}

function overTime(shown: readonly ShownGroup[], title: string, asked: Asked, everyMs: number): TimePlot {
  const timesMs = withGaps(
    [...new Set(shown.map(({ group }) => group.startMs!))].sort((a, b) => a - b),
    everyMs,
  );
  const byName = new Map<string, Map<number, ShownGroup>>();
  for (const one of shown) {
    const ofName = byName.get(one.name) ?? new Map<number, ShownGroup>();
    byName.set(one.name, ofName.set(one.group.startMs!, one));
  }
  assertFew(byName.size * asked.percentiles.length, 'lines');
  const lines = [...byName].flatMap(([name, ofName]) =>
    asked.percentiles.map((percentile) => ({
      name: byName.size === 1 ? percentileTitle(percentile) : `${name} ${percentileTitle(percentile)}`,
      values: timesMs.map((timeMs) => {
        const one = ofName.get(timeMs);
        return one === undefined ? null : scaled(valueAt(one.group, percentile), one.scale);
      }),
    })),
  );
  return {
    kind: 'over-time',
    title,
    unit: shown[0]!.unit,
    timesMs,
    lines,
    totalCount: shown.reduce((sum, { group }) => sum + group.count, 0),
    endMs: timesMs.at(-1)! + everyMs,
  };
}

/** Adds the start of each gap, where lines are to end. @param timesMs Ascending. */
function withGaps(timesMs: readonly number[], everyMs: number): number[] {
  return timesMs.flatMap((timeMs, at) => {
    const nextMs = timesMs[at + 1];
    return nextMs === undefined || nextMs <= timeMs + everyMs ? [timeMs] : [timeMs, timeMs + everyMs];
  });
}

/** @throws Refusal */
function assertFew(count: number, what: string): void {
  if (count <= MOST_LINES) return;
  throw new Refusal(
    `a plot shows at most ${MOST_LINES} ${what}, got ${count}: --where chooses series, and --percentiles fewer percentiles`,
  );
}
