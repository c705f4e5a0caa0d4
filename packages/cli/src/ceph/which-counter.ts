import { countValues } from '@hdrscope/ceph/internal';
import { HdrscopeError } from '@hdrscope/core';
import { informativeAxes } from '@hdrscope/plot';
import { type Io, Refusal } from '../command.ts';
import { formatCount } from '../format.ts';
import type { Sourced } from './histograms.ts';

/** One counter of several daemons. */
interface Counter {
  readonly name: string;
  readonly members: readonly Sourced[];
  readonly total: bigint;
}

/** Chooses the counter with the most values. Standard error lists the other counters. */
export async function chooseCounter(
  histograms: readonly Sourced[],
  io: Io,
): Promise<{ readonly name: string; readonly members: readonly Sourced[] }> {
  const counters = countersOf(histograms);
  // Among counters of equal totals, the one with more axes shows more.
  const [most, ...others] = counters.toSorted(
    (a, b) => Number(b.total - a.total) || axisCount(b.members[0]!) - axisCount(a.members[0]!),
  );
  if (others.length > 0) {
    const list = others.map(({ name, total }) => `${name} (${formatCount(total)})`).join(', ');
    await io.stderr.write(`hdrscope: this is ${most!.name}; --counter chooses another one: ${list}\n`);
  }
  return most!;
}

/** The histograms of one counter, one for each daemon. */
export function membersOf<One extends Sourced>(histograms: readonly One[], name: string): One[] {
  return histograms.filter((one) => nameOf(one) === name);
}

function countersOf(histograms: readonly Sourced[]): Counter[] {
  const names = [...new Set(histograms.map(nameOf))];
  return names.map((name) => {
    const members = membersOf(histograms, name);
    return { name, members, total: members.reduce((sum, one) => sum + countValues(one), 0n) };
  });
}

function axisCount({ histogram }: Sourced): number {
  return informativeAxes(histogram.layouts).length;
}

function nameOf({ logger, counter }: Sourced): string {
  return `${logger}.${counter}`;
}

/**
 * The sum of histograms of several daemons.
 *
 * @throws Refusal when their axes differ.
 */
export function merged([first, ...others]: readonly [Sourced, ...Sourced[]]): Sourced['histogram'] {
  const histogram = first.histogram.copy();
  for (const other of others) {
    try {
      histogram.add(other.histogram);
    } catch (cause) {
      if (!(cause instanceof HdrscopeError && cause.code === 'ERR_INCOMPATIBLE')) throw cause;
      const whose = `${nameOf(first)} of ${first.source} and of ${other.source}`;
      throw new Refusal(
        `${whose} cannot be added up: ${cause.message}; --each draws each daemon separately`,
        {
          cause,
        },
      );
    }
  }
  return histogram;
}
