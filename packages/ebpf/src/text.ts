import type { Counted, IntegerLayout, ReadonlyCounts } from '@hdrscope/core';
import { assertOptions, formatDecimal, mustBe, type OptionsOwner } from '@hdrscope/core/internal';
import { type KernelCounts, totalsOf } from './cpu-counts.ts';
import { type KernelQuantileOptions, kernelQuantiles } from './quantile.ts';

/** How a histogram is formatted. `rows` is `'all'` when it is left out. */
export interface KernelTextOptions extends KernelQuantileOptions, ShownSlots {
  /** Percentiles from 0 to 100. @default [50, 99] */
  readonly percentiles?: readonly number[];
}

/**
 * Formats a histogram for people: the total and percentiles, then one line for each slot with its count and share.
 *
 * A percentile in a slot that is open upwards shows its lower bound: `p99=65+`. With `'exclusive'` interpolation it shows the
 * number of that algorithm.
 *
 * @throws HdrscopeError `ERR_INVALID_VALUE` when a percentile is outside its range, `ERR_INVALID_OPTION` when an option does
 *   not exist, or the interpolation or `rows` is unknown, `ERR_INVALID_COUNT` as `sumOfCpus` does.
 * @example
 * ```ts
 * import { formatKernelHistogram, queueDepthLayout } from '@hdrscope/ebpf';
 *
 * const depths = { layout: queueDepthLayout(), counts: [1200, 980, 1400, 800, 400, 30, 10, 1] };
 * formatKernelHistogram(depths).split('\n').slice(0, 4);
 * //=> ['total=4821  p50=2.3  p99=15.9', '  0:     1200   25%', '  1:      980   20%', '  2-4:   1400   29%']
 * ```
 */
export function formatKernelHistogram(kernel: KernelCounts, options: KernelTextOptions = {}): string {
  assertOptions(options, FORMAT_KERNEL_HISTOGRAM);
  const { percentiles = [50, 99], interpolation = 'inclusive', rows = 'all' } = options;
  const counted = totalsOf(kernel);
  const quantiles = kernelQuantiles(
    counted,
    percentiles.map((percentile) => percentile / 100),
    { interpolation },
  );
  const summary = percentiles.map((percentile, i) => {
    const { value, open, upper } = quantiles[i]!;
    const isAtLeast = open && upper === Number.POSITIVE_INFINITY && interpolation === 'inclusive';
    const text = isAtLeast ? `${value}+` : Number.isNaN(value) ? '-' : formatDecimal(value, 1);
    return `p${percentile}=${text}`;
  });
  const head = [`total=${counted.counts.total}`, ...summary].join('  ');
  return [head, ...slotLines(counted, rows)].join('\n');
}

const FORMAT_KERNEL_HISTOGRAM: OptionsOwner<KernelTextOptions> = {
  name: 'formatKernelHistogram',
  names: { percentiles: true, interpolation: true, rows: true },
  call: 'formatKernelHistogram(counts, { percentiles: [50, 99] })',
};

function slotLines({ layout, counts }: Counted<IntegerLayout>, rows: 'all' | 'used'): string[] {
  const { total } = counts;
  const lines = shownSlots(counts, rows).map((slot) => ({
    label: `${slotLabel(layout, slot)}:`,
    count: counts.at(slot),
  }));
  const labelWidth = widest(lines.map(({ label }) => label));
  const countWidth = widest(lines.map(({ count }) => String(count)));
  return lines.map(({ label, count }) => {
    const share = total === 0 ? 0 : Math.round((count / total) * 100);
    return `  ${label.padEnd(labelWidth)} ${String(count).padStart(countWidth)}  ${String(share).padStart(3)}%`;
  });
}

/** How bars are drawn. `rows` is `'used'` when it is left out. */
export interface KernelBarsOptions extends ShownSlots {
  /** Length of the longest bar in characters: an integer from 1 to 1000. @default 40 */
  readonly width?: number;
  /**
   * Length of each line in characters, such as the width of a terminal: an integer from 1 to 1000. Bars take the room that
   * labels and counts leave, and at least one character. It replaces `width`. @default as long as `width` makes it
   */
  readonly columns?: number;
  /** Whether bars consist of `#`. Otherwise they consist of blocks, to an eighth of a character. @default false */
  readonly ascii?: boolean;
  /** Makes the label before the bar of a slot from its bounds. @default its integers: `2-4`, `65+` */
  readonly label?: (bounds: { readonly lower: number; readonly upper: number }) => string;
}

const DEFAULT_WIDTH = 40;
const MOST_WIDTH = 1000;
const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/**
 * Formats a histogram for people, as bars: one line for each slot from the first to the last slot with counts. Every slot with counts
 * has a bar, however short. The text is empty when there are no counts.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist, `rows` is unknown, or a length is outside its range,
 *   `ERR_INVALID_COUNT` as `sumOfCpus` does.
 * @example
 * ```ts
 * import { formatKernelBars, queueDepthLayout } from '@hdrscope/ebpf';
 *
 * const depths = { layout: queueDepthLayout(), counts: [0, 980, 1400, 0, 400, 0, 0, 0] };
 * formatKernelBars(depths, { width: 14, ascii: true }).split('\n');
 * //=> ['1     980 |##########    |', '2-4  1400 |##############|', '5-8     0 |              |', '9-16  400 |####          |']
 * ```
 */
export function formatKernelBars(kernel: KernelCounts, options: KernelBarsOptions = {}): string {
  assertOptions(options, FORMAT_KERNEL_BARS);
  const { width = DEFAULT_WIDTH, columns, ascii = false, rows = 'used', label } = options;
  for (const [name, length] of Object.entries({ width, ...(columns !== undefined && { columns }) })) {
    if (Number.isInteger(length) && length >= 1 && length <= MOST_WIDTH) continue;
    throw mustBe('ERR_INVALID_OPTION', name, `an integer from 1 to ${MOST_WIDTH}`, length);
  }
  const { layout, counts } = totalsOf(kernel);
  const labelOf = (slot: number): string =>
    label?.({ lower: layout.lower(slot), upper: layout.upper(slot) }) ?? slotLabel(layout, slot);
  const lines = shownSlots(counts, rows).map((slot) => ({ label: labelOf(slot), count: counts.at(slot) }));
  const most = lines.reduce((highest, { count }) => Math.max(highest, count), 0);
  const labelWidth = widest(lines.map(({ label }) => label));
  const countWidth = widest(lines.map(({ count }) => String(count)));
  const barWidth =
    columns === undefined
      ? width
      : Math.max(1, columns - labelWidth - countWidth - ' '.length - ' ||'.length);
  return lines
    .map(({ label, count }) => {
      const length = most === 0 ? 0 : (count / most) * barWidth;
      const bar = (ascii ? asciiBar(length) : blockBar(length)).padEnd(barWidth);
      return `${label.padEnd(labelWidth)} ${String(count).padStart(countWidth)} |${bar}|`;
    })
    .join('\n');
}

const FORMAT_KERNEL_BARS: OptionsOwner<KernelBarsOptions> = {
  name: 'formatKernelBars',
  names: { width: true, columns: true, ascii: true, label: true, rows: true },
  call: 'formatKernelBars(counts, { width: 40 })',
};

function asciiBar(length: number): string {
  return '#'.repeat(length === 0 ? 0 : Math.max(1, Math.round(length)));
}

function blockBar(length: number): string {
  const eighths = length === 0 ? 0 : Math.max(1, Math.round(length * 8));
  return '█'.repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8]!;
}

/** The integers of a slot: `5`, `2-4`, `65+`, or `<0` when it is open downwards. */
export function slotLabel(slots: IntegerLayout, slot: number): string {
  const [lower, upper] = [slots.lower(slot), slots.upper(slot)];
  if (lower === upper) return String(lower);
  if (upper === Number.POSITIVE_INFINITY) return `${lower}+`;
  if (lower === Number.NEGATIVE_INFINITY) return `<${upper + 1}`;
  return lower < 0 ? `${lower}..${upper}` : `${lower}-${upper}`;
}

/** Which slots are shown. */
export interface ShownSlots {
  /** `'used'` leaves out empty slots below the first count and above the last count, `'all'` shows every slot. */
  readonly rows?: 'all' | 'used';
}

/**
 * The slots that are shown, ascending.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when `rows` is neither.
 */
export function shownSlots({ length, first, last }: ReadonlyCounts, rows: 'all' | 'used'): number[] {
  if (rows !== 'all' && rows !== 'used') throw mustBe('ERR_INVALID_OPTION', 'rows', "'all' or 'used'", rows);
  const [from, to] = rows === 'all' ? [0, length - 1] : [first, last];
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i);
}

/** The length of the longest text; 0 without texts. It takes any number of texts, which arguments of a function cannot be. */
export function widest(texts: readonly string[]): number {
  return texts.reduce((most, { length }) => Math.max(most, length), 0);
}
