import type { Axis, ValueRange } from '@hdrscope/ceph';
import { Option } from 'commander';
import { amountIn } from '../amount.ts';
import { wrongOption } from '../arguments.ts';
import { type Io, Refusal, UsageError } from '../command.ts';
import { axisNames, findAxis } from './axes.ts';
import type { Sourced } from './histograms.ts';

/** A condition of the command line: values of an axis, from one on and before another. */
export interface Where {
  readonly axis: string;
  /** `4KiB`; empty where it begins with the underflow. */
  readonly from: string;
  /** Empty where it ends with the overflow. */
  readonly to: string;
}

/** A histogram, and the ranges of it that are asked for. */
export interface Conditioned {
  readonly one: Sourced;
  readonly where: readonly ValueRange[];
}

/** `--where`, as often as there are conditions. */
export function whereOption(): Option {
  return new Option(
    '--where <axis=from..to>',
    "only what lies there on that axis, as in 'Request size (bytes)=4KiB..8KiB' or size=1MiB..; the end is not included",
  )
    .argParser((text, others: readonly Where[]) => [...others, parseWhere(text)])
    .default([], 'all');
}

/** @throws UsageError */
export function parseWhere(text: string): Where {
  const allowed =
    "an axis and values, as in 'Request size (bytes)=4KiB..8KiB', size=..64KiB or latency=1ms..";
  const [, axis, from = '', to = ''] = /^(.+)=([^=]*?)\.\.([^=]*)$/.exec(text) ?? [];
  if (axis === undefined || from + to === '') throw wrongOption('--where', allowed, text);
  return { axis, from, to };
}

/**
 * Conditions in the words of each histogram. Those that lack an axis cannot be asked: they are left out, and told.
 *
 * @throws Refusal where all lack it, UsageError where a value is none of the axis.
 */
export async function applyWhere(
  histograms: readonly Sourced[],
  conditions: readonly Where[],
  io: Io,
): Promise<Conditioned[]> {
  const found: Conditioned[] = [];
  const lacking: string[] = [];
  for (const one of histograms) {
    const where = conditions.map((condition) => rangeOf(one, condition));
    if (where.every((range) => range !== undefined)) found.push({ one, where });
    else lacking.push(`${one.logger}.${one.counter} has ${axisNames(one.histogram.axes)}`);
  }
  if (histograms.length > 0 && found.length === 0) {
    throw new Refusal(
      `--where: no histogram has such an axis, or it is not clear which: ${[...new Set(lacking)].join('; ')}`,
    );
  }
  for (const text of new Set(lacking)) await io.stderr.write(`hdrscope: left out by --where: ${text}\n`);
  return found;
}

function rangeOf({ histogram: { axes } }: Sourced, { axis, from, to }: Where): ValueRange | undefined {
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
  throw new UsageError(`--where: values of "${name}" must be told as in ${allowed}, got '${text}'`);
}
