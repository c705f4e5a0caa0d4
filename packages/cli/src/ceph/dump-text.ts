import { toJsonText } from '@hdrscope/ceph';
import { informativeAxes } from '@hdrscope/plot';
import type { painter } from '../colour.ts';
import { formatCount, percentileTitle } from '../format.ts';
import { formatTable } from '../table.ts';
import { type AxisFacts, axisFacts, boundsJson, formatBounds } from './facts.ts';
import { exactTotal, haveSeveralSources, titleOf } from './histograms.ts';
import type { Conditioned } from './where.ts';

/** A histogram, and what is known of each axis that tells anything. */
export interface Known extends Conditioned {
  readonly facts: readonly AxisFacts[];
}

export function whatIsKnown(conditioned: Conditioned, percentiles: readonly number[]): Known {
  const { one, where } = conditioned;
  const places = informativeAxes(one.histogram.layouts);
  return { ...conditioned, facts: places.map((at) => axisFacts(one, at, percentiles, where)) };
}

/** How many values meet the conditions; `undefined` where they are too many to be told exactly. */
function countOf({ one, where, facts }: Known): bigint | undefined {
  if (where.length === 0) return exactTotal(one);
  const count = facts[0]?.count;
  return count === undefined ? undefined : BigInt(count);
}

/** For people: a table for each histogram, with columns as wide as those of the others. */
export function dumpText(
  all: readonly Known[],
  percentiles: readonly number[],
  paint: ReturnType<typeof painter>,
): string {
  const hasSource = haveSeveralSources(all.map(({ one }) => one));
  const counted = all.filter((known) => countOf(known) !== 0n);
  const [head = '', ...lines] = formatTable(
    ['  axis', ...percentiles.map(percentileTitle), 'mean'].map((title, at) => ({ title, isText: at === 0 })),
    counted.flatMap(({ facts }) => facts.map(rowOf)),
  );
  const parts = all.map((known) => {
    const title = titleOf(known.one, hasSource);
    const count = countOf(known);
    if (count === 0n) return `${title}: nothing was counted\n`;
    const total = count === undefined ? 'too many' : formatCount(count);
    const rows = lines.splice(0, known.facts.length);
    return `${paint('bold', title)}: ${total} values\n${head}\n${rows.join('\n')}\n`;
  });
  return parts.join('');
}

function rowOf({ axis, percentiles, mean }: AxisFacts): string[] {
  return [`  ${axis.name}`, ...[...percentiles, mean].map((bounds) => formatBounds(bounds, axis))];
}

/** For programs: counts to the last digit, bounds `null` where they are open. */
export function dumpJson(all: readonly Known[], percentiles: readonly number[]): string {
  return toJsonText(
    all.map((known) => ({ ...knownJson(known, percentiles), notes: known.one.notes })),
    'json-pretty',
  );
}

/** What is known of one histogram. */
export function knownJson(known: Known, percentiles: readonly number[]): object {
  const { source, daemon, logger, counter, histogram, unitSources } = known.one;
  return {
    source,
    daemon: daemon ?? null,
    logger,
    counter,
    count: countOf(known) ?? null,
    axes: known.facts.map(({ axis, percentiles: bounds, mean }) => ({
      name: axis.name,
      unit: axis.unit ?? 'none',
      unitSource: unitSources[histogram.axes.indexOf(axis)],
      percentiles: Object.fromEntries(bounds.map((each, at) => [percentiles[at], boundsJson(each)])),
      mean: boundsJson(mean),
    })),
  };
}
