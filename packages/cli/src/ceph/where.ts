import type { Axis } from '@hdrscope/ceph';
import { axisNames, findAxis } from '@hdrscope/ceph/internal';
import type { ValueRange } from '@hdrscope/core/joint';
import { Option } from 'commander';
import { wrongOption } from '../arguments.ts';
import { type Io, Refusal, UsageError } from '../command.ts';
import { amountIn } from '../numbers/number-unit.ts';
import type { Sourced } from './histograms.ts';

/** A condition of the command line: a range of values on one axis. */
export interface WhereCondition {
  readonly axis: string;
  /** Inclusive, as in `4KiB`. Empty when the range begins with the underflow. */
  readonly from: string;
  /** Exclusive. Empty when the range ends with the overflow. */
  readonly to: string;
}

/** A histogram, and the ranges of it that are selected. */
export interface SelectedHistogram {
  readonly one: Sourced;
  readonly where: readonly ValueRange[];
}

/** `--where`, once for each condition. */
export function whereOption(): Option {
  return new Option(
    '--where <axis=from..to>',
    "only values in that range of an axis, as in 'Request size (bytes)=4KiB..8KiB' or size=1MiB..; the end is exclusive",
  )
    .argParser((text, others: readonly WhereCondition[]) => [...others, parseWhere(text)])
    .default([], 'all');
}

/** @throws UsageError */
function parseWhere(text: string): WhereCondition {
  const allowed =
    "an axis and values, as in 'Request size (bytes)=4KiB..8KiB', size=..64KiB or latency=1ms..";
  const sign = text.lastIndexOf('=');
  const dots = text.indexOf('..', sign + 1);
  if (sign < 1 || dots === -1 || text.length === sign + 3) throw wrongOption('--where', allowed, text);
  return { axis: text.slice(0, sign), from: text.slice(sign + 1, dots), to: text.slice(dots + 2) };
}

/**
 * Applies conditions to each histogram. Histograms without one of the axes are left out, and reported on standard error.
 *
 * @throws Refusal when no histogram has all of the axes; UsageError when a value does not suit its axis.
 */
export async function applyWhere(
  histograms: readonly Sourced[],
  conditions: readonly WhereCondition[],
  io: Io,
): Promise<SelectedHistogram[]> {
  const found: SelectedHistogram[] = [];
  const lacking: string[] = [];
  for (const one of histograms) {
    const where = conditions.map((condition) => rangeOf(one, condition));
    if (where.every((range) => range !== undefined)) found.push({ one, where });
    else lacking.push(`${one.logger}.${one.counter} has ${axisNames(one.histogram.axes)}`);
  }
  if (histograms.length > 0 && found.length === 0) {
    throw new Refusal(
      `--where: no histogram has such an axis, or several axes match: ${[...new Set(lacking)].join('; ')}`,
    );
  }
  for (const text of new Set(lacking)) await io.stderr.write(`hdrscope: left out by --where: ${text}\n`);
  return found;
}

function rangeOf(
  { histogram: { axes } }: Sourced,
  { axis, from, to }: WhereCondition,
): ValueRange | undefined {
  const at = findAxis(axes, axis);
  if (at === undefined) return undefined;
  const [start, end] = [from, to].map((text) => (text === '' ? undefined : valueOn(axes[at]!, text)));
  return {
    axis: at,
    ...(start !== undefined && { from: start }),
    ...(end !== undefined && { to: end }),
  };
}

function valueOn({ name, unit = 'none' }: Axis, text: string): number {
  const value = amountIn(text, unit);
  if (value !== undefined) return value;
  const allowed = { ns: '1.5ms', us: '1.5ms', ms: '1.5ms', s: '1.5ms', bytes: '4KiB', none: '8' }[unit];
  throw new UsageError(`--where: values of "${name}" must be written like ${allowed}, got '${text}'`);
}
