import { decimalLayout } from '@hdrscope/core';
import { formatCount } from '@hdrscope/kit';
import type { CountedUnit } from '@hdrscope/registry';
import { wrongOption } from '../arguments.ts';
import { UsageError } from '../command.ts';
import { defineCommand } from '../define-command.ts';
import { jsonDocument } from '../figures.ts';
import { amountIn, UNIT } from '../options.ts';
import { wrapToScreen } from '../screen/help-text.ts';

const DESCRIPTION = `Prints boundaries at round numbers for systems that count into explicit buckets, such as the default
histograms of OpenTelemetry and of Prometheus clients, and says how much they leave open.

The boundaries reach from the last one that is at most --from to the first one that is at least --to. A
threshold of an objective (--threshold) is a boundary of its own: the share of values within it is exact then.`;

/** Leading digits of the boundaries of a decade, by their number. */
const LEADING = {
  1: [1],
  3: [1, 2, 5],
  9: [1, 2, 3, 4, 5, 6, 7, 8, 9],
} as const;

export const command = defineCommand({
  path: 'hdrscope bounds',
  description: DESCRIPTION,
  examples: [
    'hdrscope bounds --from 5ms --to 10s --threshold 250ms',
    'hdrscope bounds --from 1KiB --to 100MB --unit bytes --per-decade 9 --json',
  ],
  options: {
    from: {
      value: '<value>',
      help: 'a small value: a number of the unit, or as in 5ms, 4KiB',
      required: 'a value, as in 5ms or 4KiB',
    },
    to: {
      value: '<value>',
      help: 'a large value, in the same forms',
      required: 'a value, as in 5ms or 4KiB',
    },
    unit: { ...UNIT, help: 'the unit of the boundaries', default: 's' },
    perDecade: {
      value: '<number>',
      help: 'boundaries in a decade: 3 are at 1, 2 and 5',
      choices: ['1', '3', '9'],
      default: '3',
    },
    threshold: {
      value: '<value>',
      help: 'a threshold that becomes a boundary; may be repeated',
      isRepeated: true,
      fallback: 'none',
    },
  },
  formats: ['text', 'json'],
  output: 'when done',
  async run({ options, format }, io) {
    const { unit, perDecade } = options;
    const from = parseAmount('--from', options.from, unit);
    const to = parseAmount('--to', options.to, unit);
    if (from >= to)
      throw new UsageError(`--from must be below --to, got '${options.from}' and '${options.to}'`);
    const thresholds = options.threshold.map((text) => parseAmount('--threshold', text, unit));
    const bounds = [
      ...new Set([...roundBounds(from, to, Number(perDecade) as 1 | 3 | 9), ...thresholds]),
    ].sort((a, b) => a - b);
    // Bounded: 61 decades have at most 549 boundaries, and the command line names the thresholds.
    const widest = Math.max(...bounds.slice(1).map((bound, at) => bound / bounds[at]!));
    const text =
      format === 'json'
        ? jsonDocument({ unit, bounds, widest })
        : `${wrapToScreen(bounds.join(', '), io)}\n\n${wrapToScreen(meaning(bounds, widest, unit), io)}\n`;
    await io.stdout.write(text);
  },
});

/** Round numbers from the last one that is at most `from` to the first one that is at least `to`. */
function roundBounds(from: number, to: number, perDecade: keyof typeof LEADING): number[] {
  const leading: readonly number[] = LEADING[perDecade];
  const lowestPower = powerOf(from);
  const { edges } = decimalLayout({ digits: 1, lowestPower, decades: powerOf(to) - lowestPower + 1 });
  const round = edges.filter((edge) => leading.includes(Number(edge.toExponential()[0])));
  const first = round.findLastIndex((edge) => edge <= from);
  const last = round.findIndex((edge) => edge >= to);
  return round.slice(first, last + 1);
}

/** The largest power of ten that is at most a number. */
function powerOf(value: number): number {
  // Math.log10 is rounded.
  return Number(value.toExponential().split('e')[1]);
}

function meaning(bounds: readonly number[], widest: number, unit: CountedUnit): string {
  const inUnit = unit === 'none' ? '' : ` in ${unit}`;
  return `${formatCount(bounds.length)} boundaries${inUnit}. A percentile between two of them may be wrong by a factor of ${Number(widest.toPrecision(3))}. Native and exponential histograms need no boundaries.`;
}

/** @throws UsageError */
function parseAmount(name: string, text: string, unit: CountedUnit): number {
  const amount = amountIn(text, unit);
  if (amount !== undefined && amount >= 1e-30 && amount <= 1e30) return amount;
  throw wrongOption(name, 'a number of the unit above 0, or as in 5ms or 4KiB', text);
}
