/**
 * The probability that a Kolmogorov-distributed variable exceeds `x`: the limit, for large samples, of that of
 * `√n D`. Relative error below 1e-14. Source: Numerical Recipes (3rd ed.) §6.14.12.
 */
export function kolmogorovUpperTail(x: number): number {
  if (x <= 0) return 1;
  // Two series for the same function: one converges fast for small x, the other for large x.
  if (x < 1.18) {
    const y = Math.exp(-(Math.PI ** 2) / (8 * x * x));
    return 1 - (Math.sqrt(2 * Math.PI) / x) * (y + y ** 9 + y ** 25 + y ** 49);
  }
  const y = Math.exp(-2 * x * x);
  return 2 * (y - y ** 4 + y ** 9 - y ** 16);
}

/**
 * The probability that the distribution functions of two samples from one population differ somewhere by `statistic` or more. It
 * is exact for samples of n and m values with the given ties: all orders of the n + m values are equally likely. Takes n × m
 * steps.
 *
 * An order is a path through a grid, with a step to the right for each value of one sample and a step up for each value of the
 * other. `share(i, j)` is the share of all paths to (i, j) that have been too far from the diagonal; i in i + j of these paths come
 * from the left. All terms are positive, so small probabilities keep their digits.
 * Source: J. Hodges, "The significance probability of the Smirnov two-sample test", Arkiv för Matematik 3 (1958);
 * with ties, where only the ends of ties are looked at: G. Schröer and D. Trenkler, "Exact and randomization
 * distributions of Kolmogorov-Smirnov tests two or three samples", Computational Statistics & Data Analysis 20 (1995).
 *
 * @param distance `statistic * n * m`: an integer.
 * @param tieEnds The number of values of both samples up to each distinct value.
 */
export function exactUpperTail(n: number, m: number, distance: number, tieEnds: Iterable<number>): number {
  const isTieEnd = new Uint8Array(n + m + 1);
  for (const end of tieEnds) isTieEnd[end] = 1;
  const share = new Float64Array(m + 1);
  for (let i = 0; i <= n; i++) {
    for (let j = 0; j <= m; j++) {
      const isFar = isTieEnd[i + j] === 1 && Math.abs(i * m - j * n) >= distance;
      if (isFar) share[j] = 1;
      else if (i + j === 0) share[j] = 0;
      else share[j] = (i * share[j]! + j * (j === 0 ? 0 : share[j - 1]!)) / (i + j);
    }
  }
  return share[m]!;
}
