import { type AxisFacts, countValues, measureAxis } from '@hdrscope/ceph/internal';
import { informativeAxes } from '@hdrscope/plot';
import { painter } from '../colour.ts';
import type { Io } from '../command.ts';
import { boundsJson } from '../figures.ts';
import { percentileTitle, valuesText } from '../format.ts';
import { wrapToScreen } from '../help-text.ts';
import { screenOf } from '../screen.ts';
import { formatTable, rowBlock } from '../table.ts';
import { axisJson, exactDocument } from './axis-json.ts';
import { formatBounds } from './bounds-text.ts';
import { haveSeveralSources, titleOf } from './histograms.ts';
import type { SelectedHistogram } from './where.ts';

/** A histogram, and the facts of its axes. Axes with a single slot are left out, unless there are no others. */
interface HistogramFacts extends SelectedHistogram {
  readonly facts: readonly AxisFacts[];
}

/** Computes the facts of a histogram. */
export function histogramFacts(selected: SelectedHistogram, percentiles: readonly number[]): HistogramFacts {
  const { one, where } = selected;
  const places = informativeAxes(one.histogram.layouts);
  return { ...selected, facts: places.map((at) => measureAxis(one, at, percentiles, where)) };
}

/** The number of values that meet the conditions; `undefined` when it is not exact. */
function countOf({ one, where, facts }: HistogramFacts): bigint | undefined {
  if (where.length === 0) return countValues(one);
  const count = facts[0]?.count;
  return count === undefined ? undefined : BigInt(count);
}

/** A table for each histogram, for people. All tables have the same column widths. */
export function dumpText(all: readonly HistogramFacts[], percentiles: readonly number[], io: Io): string {
  const paint = painter(io, io.stdout);
  const { columns: width = Number.POSITIVE_INFINITY } = screenOf(io);
  const hasSource = haveSeveralSources(all.map(({ one }) => one));
  const counted = all.filter((known) => countOf(known) !== 0n);
  const titles = ['  axis', ...percentiles.map(percentileTitle), 'mean'];
  const columns = titles.map((title, at) => ({ title, isText: at === 0 }));
  const cells = counted.flatMap(({ facts }) => facts.map(rowOf));
  const [head = '', ...lines] = formatTable(columns, cells);
  const hasRoom = [head, ...lines].every((line) => line.length <= width);
  const parts = all.map((known) => {
    const title = titleOf(known.one, hasSource);
    const count = countOf(known);
    if (count === 0n) return `${title}: nothing was counted\n`;
    const total = count === undefined ? 'too many values' : valuesText(count);
    const rows = lines.splice(0, known.facts.length);
    const blocks = known.facts.flatMap((facts) => rowBlock(columns, rowOf(facts), width));
    const heading = wrapToScreen(`${title}: ${total}`, io).replace(title, paint('bold', title));
    return `${heading}\n${(hasRoom ? [head, ...rows] : blocks).join('\n')}\n`;
  });
  return parts.join('');
}

function rowOf({ axis, percentiles, mean }: AxisFacts): string[] {
  return [`  ${axis.name}`, ...[...percentiles, mean].map((bounds) => formatBounds(bounds, axis))];
}

/** JSON for programs, with exact counts. Open bounds are `null`. */
export function dumpJson(all: readonly HistogramFacts[], percentiles: readonly number[]): string {
  return exactDocument(
    all.map((facts) => ({ ...histogramJson(facts, percentiles), notes: facts.one.notes })),
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
    axes: known.facts.map((facts) => {
      const { axis, count, sum, sumSource } = facts;
      const { name, unit = 'none' } = axis;
      return {
        ...axisJson({ name, unit, count, facts }, percentiles),
        unitSource: unitSources[histogram.axes.indexOf(axis)],
        sum: boundsJson(sum),
        sumSource,
      };
    }),
  };
}
