import { toJsonText } from '@hdrscope/ceph';
import { informativeAxes } from '@hdrscope/plot';
import type { painter } from '../colour.ts';
import { formatCount, percentileTitle } from '../format.ts';
import { formatTable } from '../table.ts';
import { type AxisFacts, axisFacts, boundsJson, formatBounds } from './axis-facts.ts';
import { exactTotal, haveSeveralSources, titleOf } from './histograms.ts';
import type { SelectedHistogram } from './where.ts';

/** A histogram, and the facts of its axes. Axes with a single slot are left out, unless there are no others. */
interface HistogramFacts extends SelectedHistogram {
  readonly facts: readonly AxisFacts[];
}

/** Computes the facts of a histogram. */
export function histogramFacts(selected: SelectedHistogram, percentiles: readonly number[]): HistogramFacts {
  const { one, where } = selected;
  const places = informativeAxes(one.histogram.layouts);
  return { ...selected, facts: places.map((at) => axisFacts(one, at, percentiles, where)) };
}

/** The number of values that meet the conditions; `undefined` when it is not exact. */
function countOf({ one, where, facts }: HistogramFacts): bigint | undefined {
  if (where.length === 0) return exactTotal(one);
  const count = facts[0]?.count;
  return count === undefined ? undefined : BigInt(count);
}

/** A table for each histogram, for people. All tables have the same column widths. */
export function dumpText(
  all: readonly HistogramFacts[],
  percentiles: readonly number[],
  paint: ReturnType<typeof painter>,
): string {
  const hasSource = haveSeveralSources(all.map(({ one }) => one));
  const counted = all.filter((known) => countOf(known) !== 0n);
  const [head = '', ...lines] = formatTable(
    ['  axis', ...percentiles.map(percentileTitle), 'mean'].map((title, at) => ({ title, isText: at === 0 })),
    counted.flatMap(({ facts }) => facts.map(rowOf)),
  );
  const parts = all.map((known) => {
    const title = titleOf(known.one, hasSource);
    const count = countOf(known);
    if (count === 0n) return `${title}: nothing was counted\n`;
    const total = count === undefined ? 'too many' : formatCount(count);
    const rows = lines.splice(0, known.facts.length);
    return `${paint('bold', title)}: ${total} values\n${head}\n${rows.join('\n')}\n`;
  });
  return parts.join('');
}

function rowOf({ axis, percentiles, mean }: AxisFacts): string[] {
  return [`  ${axis.name}`, ...[...percentiles, mean].map((bounds) => formatBounds(bounds, axis))];
}

/** JSON for programs, with exact counts. Open bounds are `null`. */
export function dumpJson(all: readonly HistogramFacts[], percentiles: readonly number[]): string {
  return toJsonText(
    all.map((facts) => ({ ...histogramJson(facts, percentiles), notes: facts.one.notes })),
    'json-pretty',
  );
}

/** The facts of one histogram, for programs. */
export function histogramJson(known: HistogramFacts, percentiles: readonly number[]): object {
  const { source, daemon, logger, counter, histogram, unitSources } = known.one;
  return {
    source,
    daemon: daemon ?? null,
    logger,
    counter,
    count: countOf(known) ?? null,
    axes: known.facts.map(({ axis, percentiles: bounds, mean, sum, sumSource }) => ({
      name: axis.name,
      unit: axis.unit ?? 'none',
      unitSource: unitSources[histogram.axes.indexOf(axis)],
      percentiles: Object.fromEntries(bounds.map((each, at) => [percentiles[at], boundsJson(each)])),
      mean: boundsJson(mean),
      sum: boundsJson(sum),
      sumSource,
    })),
  };
}
