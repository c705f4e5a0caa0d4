import { assertOptions, mustBe, type OptionsOwner } from '@hdrscope/core/internal';
import { type KernelCounts, totalsOf } from '../cpu-counts.ts';
import { type ShownSlots, shownSlots, slotLabel } from './slot-label.ts';
import { widest } from './widest.ts';

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
