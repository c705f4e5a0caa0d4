import { type CountedUnit, SHOWN_UNITS } from '@hdrscope/registry';
import { wrongOption } from '../arguments.ts';
import { type Io, Refusal, UsageError } from '../command.ts';
import { nameOfPath, sizeOf } from '../inputs/kinds.ts';
import { wholeText } from '../inputs/whole-text.ts';
import { amountIn } from '../numbers/number-unit.ts';
import {
  boundsInScrape,
  dividedBucket,
  type HistogramForm,
  neighbours,
  type Threshold,
} from './prometheus.ts';

/** The options that decide on a threshold. */
export interface ThresholdOptions {
  readonly threshold?: string;
  readonly histogram: HistogramForm;
  readonly unit?: CountedUnit;
  readonly schema: number;
  readonly bounds?: string;
  readonly scrape?: string;
}

/** @throws UsageError; Refusal when a histogram with explicit bounds has no such bound. */
export async function readThreshold(metric: string, options: ThresholdOptions, io: Io): Promise<Threshold> {
  const { histogram: form, schema, threshold: text } = options;
  if (text === undefined) throw new UsageError('--threshold is required: a value, as in 300ms');
  const unit = options.unit ?? unitInName(metric);
  const value = valueIn(text, unit, '--threshold');
  if (form === 'native') {
    if (options.bounds !== undefined || options.scrape !== undefined) {
      throw new UsageError(
        '--bounds and --scrape need --histogram custom or classic: a native histogram has no bounds of its own',
      );
    }
    return { value, text, form, schema, bucket: dividedBucket(value, schema) };
  }
  const bounds = await boundsOf(metric, unit, options, io);
  if (!bounds.includes(value)) throw notABound(value, unit, metric, bounds);
  return { value, text, form, schema, bucket: undefined };
}

async function boundsOf(
  metric: string,
  unit: CountedUnit,
  { bounds, scrape }: ThresholdOptions,
  io: Io,
): Promise<readonly number[]> {
  if ((bounds === undefined) === (scrape === undefined)) {
    throw new UsageError(
      '--histogram custom and classic need either --bounds or --scrape: only a bound of the histogram is an exact threshold',
    );
  }
  if (bounds !== undefined) return bounds.split(',').map((one) => valueIn(one.trim(), unit, '--bounds'));
  const path = scrape!;
  const name = nameOfPath(path);
  if (path !== '-') await sizeOf(path);
  const source = path === '-' ? io.stdin : path;
  return boundsInScrape(await wholeText({ name, source }, 'the text of a scrape'), metric, name);
}

function notABound(value: number, unit: CountedUnit, metric: string, bounds: readonly number[]): Refusal {
  const shown = SHOWN_UNITS[unit].unit === '' ? '' : ` ${unit}`;
  const nearest = neighbours(value, bounds).map((bound) => `${bound}${shown}`);
  const cure =
    nearest.length === 1
      ? `the nearest one is ${nearest[0]}`
      : `the nearest ones are ${nearest.join(' and ')}`;
  return new Refusal(
    `--threshold must be a bound of ${metric}, which knows no more about its values, got ${value}${shown}: ${cure}`,
  );
}

/** @throws UsageError */
function valueIn(text: string, unit: CountedUnit, name: string): number {
  const value = amountIn(text, unit);
  if (value !== undefined && value > 0 && Number.isFinite(value)) return value;
  const kind = SHOWN_UNITS[unit].unit;
  const example = kind === 's' ? '300ms' : kind === 'By' ? '64KiB' : '200';
  const cure = unit === 'none' ? ' (--unit states the unit of the histogram)' : '';
  throw wrongOption(name, `a value above 0, as in ${example}${cure}`, text);
}

const UNITS_IN_NAMES: readonly (readonly [suffix: RegExp, unit: CountedUnit])[] = [
  [/[_.]seconds$/, 's'],
  [/[_.]milliseconds$/, 'ms'],
  [/[_.]microseconds$/, 'us'],
  [/[_.]nanoseconds$/, 'ns'],
  [/[_.]bytes$/, 'bytes'],
];

function unitInName(metric: string): CountedUnit {
  return UNITS_IN_NAMES.find(([suffix]) => suffix.test(metric))?.[1] ?? 'none';
}
