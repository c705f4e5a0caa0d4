/** The method that Node.js calls to show an object in `console.log`. Other runtimes ignore it. */
export const INSPECT: unique symbol = Symbol.for('nodejs.util.inspect.custom') as never;

const PERCENTILES = [50, 90, 99, 99.9] as const;

/** The numbers of a histogram that its inspection shows. */
interface Inspected {
  readonly totalCount: number;
  readonly min: number;
  readonly max: number;
}

/**
 * One line about a histogram: `Histogram { totalCount: 51, min: 1250, p50: 1300, …, max: 90047 }`.
 *
 * @param valueAt The value at a percentile.
 * @param hint A sentence about a likely mistake.
 */
export function inspectionOf(
  name: string,
  { totalCount, min, max }: Inspected,
  valueAt: (percentile: number) => number,
  hint?: string,
): string {
  const percentiles = PERCENTILES.map((percentile) => `p${percentile}: ${valueAt(percentile)}`);
  const values = totalCount === 0 ? '' : `, min: ${min}, ${percentiles.join(', ')}, max: ${max}`;
  return `${name} { totalCount: ${totalCount}${values} }${hint === undefined ? '' : ` // ${hint}`}`;
}
