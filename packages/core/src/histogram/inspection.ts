/** An object that shows a line of its own in `console.log`. */
abstract class WithInspection {
  /** The line that Node.js shows in place of the object. Other runtimes ignore it. */
  protected abstract inspection(): string;
}

/**
 * The base of all histograms. A method with a computed name, as `[Symbol.for('nodejs.util.inspect.custom')]`, would keep bundlers
 * from removing unused histograms; a call that is marked as pure does not.
 */
export const Inspectable: typeof WithInspection = /* @__PURE__ */ inspectable();

function inspectable(): typeof WithInspection {
  Object.defineProperty(WithInspection.prototype, Symbol.for('nodejs.util.inspect.custom'), {
    value(this: { inspection(): string }): string {
      return this.inspection();
    },
  });
  return WithInspection;
}

const PERCENTILES = [50, 90, 99, 99.9] as const;

/** The numbers of a histogram that its inspection shows. */
interface Inspected {
  readonly totalCount: number;
  readonly min: number | bigint;
  readonly max: number | bigint;
}

/**
 * One line about a histogram: `Histogram { totalCount: 51, min: 1250, p50: 1300, …, max: 90047 }`.
 *
 * @param valueAt The value at a percentile.
 * @param hint A sentence about a likely mistake.
 */
export function inspectionOf(
  histogram: Inspected,
  valueAt: (percentile: number) => number | bigint,
  hint?: string,
): string {
  const { totalCount, min, max } = histogram;
  const percentiles = PERCENTILES.map((percentile) => `p${percentile}: ${valueAt(percentile)}`);
  const values = totalCount === 0 ? '' : `, min: ${min}, ${percentiles.join(', ')}, max: ${max}`;
  const comment = hint === undefined ? '' : ` // ${hint}`;
  return `${histogram.constructor.name} { totalCount: ${totalCount}${values} }${comment}`;
}
