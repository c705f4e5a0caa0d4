import { countedUnitOf, curveOfSeries, formatValue, type ObjectiveLine, type Plot } from '@hdrscope/plot';
import { intervalsWithin, type Timed, timeOf } from '../history/coarsening.ts';
import type { LiveTable } from '../live-table.ts';
import type { DetailMessage } from '../messages.ts';
import type { Question, TimeRange } from '../question.ts';
import { bucketsOf } from './buckets.ts';
import { areComparable, compared, comparisonPlotOf, type Side } from './comparison.ts';
import type { Distribution } from './distribution.ts';
import { factsSinceStart, factsWithin } from './facts.ts';
import type { GroupHistory, GroupInterval } from './group-history.ts';
import type { Group } from './groups.ts';
import { heatMapOf } from './heat-maps.ts';
import { objectiveResults, suitingObjectives } from './objectives.ts';
import { percentilesOverTime } from './over-time.ts';
import { sinceStart } from './rows.ts';

const RECENT_MS = 60_000;

// The cards of the page are no wider, in pixels.
const COLUMNS = 800;

/** A group and what it counted in each interval of the history. */
export interface GroupInTime {
  readonly group: Group;
  readonly history: GroupHistory;
  readonly intervals: readonly GroupInterval[];
}

/** The table that a page shows. */
export interface ShownTable {
  readonly table: LiveTable;
  /** Whether it is a record, which has no last minute that goes on. */
  readonly isRecord: boolean;
}

/** The detail of a row. */
export function detailOf(
  question: Question,
  picked: GroupInTime,
  other: GroupInTime | undefined,
  { table, isRecord }: ShownTable,
): Omit<DetailMessage, 'question'> {
  const { group, history, intervals } = picked;
  const { family } = group;
  const unit = countedUnitOf(family);
  const shown = question.range === undefined ? intervals : intervalsWithin(intervals, question.range);
  const chosen = distributionIn(picked, question.range, table);
  const slos = suitingObjectives(question.objectives, unit).map(
    ({ percentile, limit }): ObjectiveLine => ({ percentile, value: limit }),
  );
  const { sides, note } = sidesOf(question, picked, other, chosen, table);
  const comparison = sides && compared(sides.before, sides.after);
  const curves =
    sides && comparison
      ? comparisonPlotOf(sides.before, sides.after, comparison, COLUMNS)
      : curvesOf(question, picked, chosen, { slos, endMs: isRecord ? undefined : table.snapshot.timeMs });
  const heatMap = heatMapOf(family, history, shown, 'Heat map');
  const plots: Plot[] = [curves, percentilesOverTime(family, intervals, slos)];
  if (heatMap !== undefined) plots.push(heatMap);
  if (family.boundaries !== undefined) plots.push(bucketsOf(family, chosen, 'Buckets'));
  const facts =
    question.range === undefined
      ? factsSinceStart(family, chosen, latestOf(group, table))
      : factsWithin(family, chosen);
  return {
    label: group.label,
    ...(question.range && { range: timeOf(shown) }),
    ...(question.baseline && { baseline: timeOf(intervalsWithin(intervals, question.baseline)) }),
    facts,
    plots,
    objectives: objectiveResults(question.objectives, unit, group, chosen),
    ...(comparison && { comparison }),
    ...(note !== undefined && { note }),
  };
}

function latestOf({ ids }: Group, table: LiveTable) {
  return ids.map((id) => table.find(id)?.latest).filter((latest) => latest !== undefined);
}

function curvesOf(
  { range }: Question,
  { group, history, intervals }: GroupInTime,
  chosen: Distribution,
  { slos, endMs }: { readonly slos: readonly ObjectiveLine[]; readonly endMs: number | undefined },
): Plot {
  const { family } = group;
  const curveOf = (name: string, { histogram, ends }: Distribution) =>
    curveOfSeries(family, { attributes: {}, histogram }, { name, ends, columns: COLUMNS });
  const whole = endMs === undefined ? 'the whole record' : 'since the start';
  const curves = [curveOf(range === undefined ? whole : 'the chosen time', chosen)];
  if (range === undefined && endMs !== undefined) {
    const last = intervalsWithin(intervals, { fromMs: endMs - RECENT_MS, toMs: endMs });
    const recent = history.sumOf(last);
    const isAll = recent.histogram.totalCount === chosen.histogram.totalCount;
    if (!isAll) curves.push(curveOf(recentName(last), recent));
  }
  return {
    kind: 'percentiles',
    title: 'Percentiles',
    unit: countedUnitOf(family),
    // A curve without values has no points.
    curves: curves.filter(({ totalCount }) => totalCount > 0),
    ...(slos.length > 0 && { slos }),
  };
}

/** The name of the intervals that share time with the last minute. The first of them may have begun long before it. */
function recentName(intervals: readonly Timed[]): string {
  const { fromMs, toMs } = timeOf(intervals);
  return toMs - fromMs < 1.5 * RECENT_MS ? 'last minute' : `last ${formatValue(toMs - fromMs, 'ms')}`;
}

interface Sides {
  readonly sides?: { readonly before: Side; readonly after: Side };
  /** Why there is no comparison, although one was asked for. */
  readonly note?: string;
}

function sidesOf(
  { range, baseline }: Question,
  picked: GroupInTime,
  other: GroupInTime | undefined,
  chosen: Distribution,
  table: LiveTable,
): Sides {
  if (other === undefined && baseline === undefined) return {};
  const chosenName = range === undefined ? 'all time' : 'the chosen time';
  const { group } = picked;
  const { family } = group;
  const after: Side = {
    name: other === undefined ? chosenName : group.label,
    family,
    distribution: chosen,
    weight: group.weight,
  };
  const compared = other ?? picked;
  const before: Side = {
    name: other === undefined ? 'the compared time' : other.group.label,
    family: compared.group.family,
    distribution: distributionIn(compared, baseline ?? range, table),
    weight: compared.group.weight,
  };
  if (!areComparable(family, before.family)) {
    return { note: `${before.name} has another unit or resolution, so the two cannot be compared` };
  }
  for (const { name, distribution } of [before, after]) {
    if (distribution.histogram.totalCount === 0) return { note: `${name} has no values to compare` };
  }
  return { sides: { before, after } };
}

/** What a group counted in a range of time. Without a range: since the start. */
export function distributionIn(
  { group, history, intervals }: GroupInTime,
  range: TimeRange | undefined,
  table: LiveTable,
): Distribution {
  return range === undefined ? sinceStart(group, table) : history.sumOf(intervalsWithin(intervals, range));
}
