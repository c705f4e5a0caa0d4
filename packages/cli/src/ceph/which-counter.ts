import { HdrscopeError } from '@hdrscope/core';
import { informativeAxes } from '@hdrscope/plot';
import { type Io, Refusal } from '../command.ts';
import { formatCount } from '../format.ts';
import { exactTotal, type Sourced } from './histograms.ts';

/** One counter of several daemons. */
interface Counter {
  readonly name: string;
  readonly members: readonly Sourced[];
  readonly total: bigint;
}

/** The counter that is drawn: the one with most counts. If there are others, standard error tells them. */
export async function chooseCounter(
  histograms: readonly Sourced[],
  io: Io,
): Promise<{ readonly name: string; readonly members: readonly Sourced[] }> {
  const counters = countersOf(histograms);
  // Of equal ones that of more axes: there is more to see.
  const [most, ...others] = counters.toSorted(
    (a, b) => Number(b.total - a.total) || axisCount(b.members[0]!) - axisCount(a.members[0]!),
  );
  if (others.length > 0) {
    const list = others.map(({ name, total }) => `${name} (${formatCount(total)})`).join(', ');
    await io.stderr.write(`hdrscope: this is ${most!.name}; --counter tells another of ${list}\n`);
  }
  return most!;
}

/** That counter of each daemon. */
export function membersOf<One extends Sourced>(histograms: readonly One[], name: string): One[] {
  return histograms.filter((one) => nameOf(one) === name);
}

function countersOf(histograms: readonly Sourced[]): Counter[] {
  const names = [...new Set(histograms.map(nameOf))];
  return names.map((name) => {
    const members = membersOf(histograms, name);
    return { name, members, total: members.reduce((sum, one) => sum + exactTotal(one), 0n) };
  });
}

function axisCount({ histogram }: Sourced): number {
  return informativeAxes(histogram.layouts).length;
}

function nameOf({ logger, counter }: Sourced): string {
  return `${logger}.${counter}`;
}

/**
 * Histograms of several daemons as one.
 *
 * @throws Refusal where their axes are not equal.
 */
export function merged([first, ...others]: readonly [Sourced, ...Sourced[]]): Sourced['histogram'] {
  const histogram = first.histogram.copy();
  for (const other of others) {
    try {
      histogram.add(other.histogram);
    } catch (cause) {
      if (!(cause instanceof HdrscopeError && cause.code === 'ERR_INCOMPATIBLE')) throw cause;
      const whose = `${nameOf(first)} of ${first.source} and of ${other.source}`;
      throw new Refusal(`${whose} cannot be put together: ${cause.message}; --each draws each for itself`, {
        cause,
      });
    }
  }
  return histogram;
}
