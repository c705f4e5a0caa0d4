import type { Curve } from '../plot.ts';
import { fittingLabels, type GridPlace, labelledAxis } from './frame.ts';
import type { OptionPart } from './option.ts';
import type { Theme } from './theme.ts';

/*
 * The axis of percentiles is logarithmic in 1/(1 - p). ECharts gets that logarithm, the number of nines: 0 % is at 0, 90 % at 1,
 * 99 % at 2. On ECharts' own logarithmic axis a zoom would not follow the wheel, because it would be linear in 1/(1 - p).
 */

/**
 * The place of a percentile on the axis: its number of nines.
 *
 * @param percentile From 0 to 100, which is at infinity.
 */
export function ninesOf(percentile: number): number {
  return Math.max(0, 2 - Math.log10(100 - percentile));
}

/** The percentile at a place of the axis. */
export function percentileAt(nines: number): number {
  return 100 - 10 ** (2 - nines);
}

/** A percentile with enough digits to differ from 100: `99.99 %`. */
export function percentileText(percentile: number): string {
  if (percentile >= 100) return 'max';
  const digits = Math.min(12, Math.max(1, Math.ceil(ninesOf(percentile))));
  return `${Number(percentile.toFixed(digits))} %`;
}

/**
 * The places of a curve's points on the axis. The maximum is at 1/(1 - p) = the count of values, never at infinity.
 *
 * @returns Ascending, one for each point.
 */
export function placesOf({ points, totalCount }: Pick<Curve, 'points' | 'totalCount'>): number[] {
  const end = Math.log10(Math.max(1, totalCount));
  const places: number[] = [];
  for (const { percentile } of points) {
    // Beyond it every percentile is the maximum.
    const place = percentile >= 100 ? end : Math.min(end, ninesOf(percentile));
    places.push(Math.max(place, places.at(-1) ?? 0));
  }
  return places;
}

/** The end of an axis that has all these places. */
export function axisEnd(places: readonly number[]): number {
  return places.reduce((end, place) => Math.max(end, place), 1);
}

/** The percentiles that are labelled beside the nines, where there is room. */
const BETWEEN = [50, 75, 95, 25, 99.5];

/** The horizontal axis of percentiles, labelled at 0 %, the nines, 50 % and more where there is room. */
export function percentileAxis(
  end: number,
  grid: GridPlace,
  theme: Theme,
  more: OptionPart = {},
): OptionPart {
  const nines = Array.from({ length: Math.floor(end + 1e-9) }, (_, i) => i + 1);
  const places = [0, ...nines, ...BETWEEN.map(ninesOf)].filter((place) => place <= end + 1e-9);
  const axis = { min: 0, max: end };
  const texts = places.map((place) => ({ place, text: percentileText(percentileAt(place)) }));
  const full = fittingLabels(texts, axis, grid);
  // The name of the axis says what the numbers are.
  const short = texts.map(({ place, text }) => ({ place, text: text.replace(' %', '') }));
  const isFull = nines.every((place) => full.some((label) => label.place === place));
  const labels = isFull ? full : fittingLabels(short, axis, grid);
  return {
    type: 'value',
    min: 0,
    max: end,
    axisLine: { onZero: false, lineStyle: { color: theme.axis } },
    ...labelledAxis(labels, theme),
    splitLine: { show: true, lineStyle: { color: theme.grid } },
    ...more,
  };
}
