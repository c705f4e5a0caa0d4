import { assertPlot } from './assert-plot.ts';
import { periodText, zoneOfPlot } from './chart/time-text.ts';
import { countText, formatCount } from './count-text.ts';
import { totalOf } from './data/used-part.ts';
import type { Curve, Period, Plot, PlotTitles } from './plot.ts';

/**
 * A plot with a title, and below it how many values it shows and when they were counted. A title and a subtitle that the plot has
 * already stay. A second call changes nothing.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when `plot` is not a plot.
 * @example
 * ```ts
 * import { captioned } from '@hdrscope/plot';
 *
 * const slots = [{ lower: 0, upper: 64 }, { lower: 64, upper: 128 }];
 * const { title, subtitle } = captioned({ kind: 'bars', name: 'latency', unit: 'ms', slots, counts: [1200, 34] });
 * [title, subtitle]; //=> ['Counts by latency', '1,234 values']
 * ```
 */
export function captioned<Kind extends Plot>(plot: Kind): Kind & PlotTitles {
  assertPlot(plot);
  const title = plot.title ?? titleOf(plot);
  return { ...plot, title, ...withSubtitle(plot.subtitle, [countOf(plot), periodOf(plot)]) };
}

/** A plot with its period below its title: texts on a terminal have names and counts in their legends. */
export function dated<Kind extends Plot>(plot: Kind): Kind {
  return { ...plot, ...withSubtitle(plot.subtitle, [periodOf(plot)]) };
}

const BETWEEN = ' · ';

/** Adds parts to a subtitle. A part that it has already, from an earlier call, is not repeated. */
function withSubtitle(subtitle: string | undefined, parts: readonly (string | undefined)[]): PlotTitles {
  let text = subtitle ?? '';
  for (const part of parts) {
    if (part === undefined || part === '') continue;
    const isThere = `${BETWEEN}${text}${BETWEEN}`.includes(`${BETWEEN}${part}${BETWEEN}`);
    if (!isThere) text = text === '' ? part : `${text}${BETWEEN}${part}`;
  }
  return text === '' ? {} : { subtitle: text };
}

function titleOf(plot: Plot): string {
  switch (plot.kind) {
    case 'percentiles':
      return (plot.curves.length === 1 && plot.curves[0]!.name) || 'Values by percentile';
    case 'comparison':
      return `${plot.after.name} compared with ${plot.before.name}`;
    case 'over-time':
      return 'Percentiles over time';
    case 'heat-map':
      return `${plot.y.name} by ${plot.x.name}`.replace(/^./, (first) => first.toUpperCase());
    case 'bars':
      return `Counts by ${plot.name ?? 'value'}`;
  }
}

function countOf(plot: Plot): string | undefined {
  switch (plot.kind) {
    case 'percentiles': {
      const total = plot.curves.reduce((sum, { totalCount }) => sum + totalCount, 0);
      const curves = plot.curves.length > 1 ? `${plot.curves.length} curves, ` : '';
      return `${curves}${countText(total)}`;
    }
    case 'comparison':
      return `${countText(plot.before.totalCount)} before, ${formatCount(plot.after.totalCount)} after`;
    case 'over-time':
      return plot.totalCount === undefined ? undefined : countText(plot.totalCount);
    case 'heat-map':
      return countText(totalOf(plot.counts.map(totalOf)), plot.countName);
    case 'bars':
      return countText(totalOf(plot.counts));
  }
}

function periodOf(plot: Plot): string | undefined {
  const period = spanOf(plot);
  return period && periodText(period.startMs, period.endMs, zoneOfPlot(plot));
}

function spanOf(plot: Plot): Period | undefined {
  switch (plot.kind) {
    case 'percentiles':
      return unionOf(plot.curves);
    case 'comparison':
      // The two sides are from different times.
      return undefined;
    case 'over-time': {
      const [startMs, endMs] = [plot.timesMs[0], plot.timesMs.at(-1)];
      return startMs === undefined || endMs === undefined
        ? undefined
        : { startMs, endMs: plot.endMs ?? endMs };
    }
    case 'heat-map': {
      const [first, last] = [plot.x.slots[0], plot.x.slots.at(-1)];
      if (plot.x.unit !== 'time' || first === undefined || last === undefined) return undefined;
      return { startMs: first.lower, endMs: last.upper };
    }
    case 'bars':
      return undefined;
  }
}

/** The time of all curves; `undefined` when one of them is of an unknown time. */
function unionOf(curves: readonly Curve[]): Period | undefined {
  const periods = curves.flatMap(({ period }) => period ?? []);
  if (periods.length === 0 || periods.length < curves.length) return undefined;
  return {
    startMs: periods.reduce((least, { startMs }) => Math.min(least, startMs), Number.POSITIVE_INFINITY),
    endMs: periods.reduce((most, { endMs }) => Math.max(most, endMs), Number.NEGATIVE_INFINITY),
  };
}
