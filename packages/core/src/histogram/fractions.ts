// A histogram of integers counts 0.012 as 0. Whoever records seconds where milliseconds were meant gets zeros only.

/** So many fractions are a habit, not an accident. */
const MANY = 100;

let hasWarned = false;

/** The hint for a histogram most of whose values were above 0 and below 1; `undefined` for any other. */
export function fractionHint(fractions: number, totalCount: number): string | undefined {
  if (fractions * 2 <= totalCount) return undefined;
  return (
    `${fractions} of ${totalCount} values were above 0 and below 1, and count as 0: ` +
    'record them in a finer unit, as Math.round(seconds * 1e9), or use a DoubleHistogram'
  );
}

/**
 * Warns once in a process of a histogram that most of its first values do not fit, where `process.emitWarning` exists and
 * `NODE_ENV` is not `production`.
 *
 * @param fractions How many values above 0 and below 1 were recorded.
 * @param added How many of them the latest call recorded.
 * @param totalCount Computes how many values of any size were recorded.
 */
export function warnOfFractions(fractions: number, added: number, totalCount: () => number): void {
  if (hasWarned || fractions < MANY || fractions - added >= MANY) return;
  const hint = fractionHint(fractions, totalCount());
  const { process } = globalThis as { readonly process?: WarningProcess };
  if (hint === undefined || process?.env?.NODE_ENV === 'production') return;
  hasWarned = true;
  process?.emitWarning?.(`A Histogram counts integers: ${hint}.`, {
    type: 'HdrscopeWarning',
    code: 'HDRSCOPE_FRACTIONS',
  });
}

interface WarningProcess {
  readonly env?: Readonly<Record<string, string | undefined>>;
  emitWarning?(warning: string, options: { readonly type: string; readonly code: string }): void;
}
