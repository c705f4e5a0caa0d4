/** Counts of slow values, in a part and in the rest. */
export interface SlowCounts {
  readonly part: { readonly before: number; readonly after: number };
  readonly rest: { readonly before: number; readonly after: number };
}

/**
 * How strongly slow values in a part have become more, or fewer, compared with those in the rest: twice the logarithm of the ratio of two
 * likelihoods, that of one growth for the part and another one for the rest, and that of one growth for both. 0 when the growth is equal,
 * and when the part is all or nothing.
 * ```
 * G = 2 * sum over the four counts of count * ln(count / expected)       expected = sum of its row * sum of its column / sum of all
 * ```
 * A set that contains the cause is diluted by values that did not grow; a set inside the cause leaves values that grew to the rest.
 * Both lower G, so it is largest for the cause itself. Without a cause G is a chi-square of one degree of freedom.
 * Source: R. Sokal and F. Rohlf, "Biometry" (3rd ed.) §17.4; the same ratio finds clusters in M. Kulldorff, "A spatial scan statistic",
 * Communications in Statistics 26 (1997).
 *
 * @returns Positive when the part has grown more than the rest, negative when it has grown less.
 */
export function growthEvidence({ part, rest }: SlowCounts): number {
  const rows = [part.before + part.after, rest.before + rest.after];
  const columns = [part.before + rest.before, part.after + rest.after];
  const all = rows[0]! + rows[1]!;
  const cells = [
    [part.before, part.after],
    [rest.before, rest.after],
  ];
  let sum = 0;
  for (const [r, row] of cells.entries()) {
    for (const [c, count] of row.entries()) {
      if (count > 0) sum += count * Math.log((count * all) / (rows[r]! * columns[c]!));
    }
  }
  const evidence = Math.max(0, 2 * sum);
  return part.after * rest.before >= rest.after * part.before ? evidence : -evidence;
}

/**
 * The evidence that the largest of some candidates reaches by chance with at most the given probability. A chi-square of one degree of
 * freedom exceeds g with a probability below `exp(-g / 2)`, and the probabilities of all candidates add up at most.
 */
export function leastEvidence(candidates: number, probability: number): number {
  return 2 * Math.log(Math.max(1, candidates) / probability);
}
