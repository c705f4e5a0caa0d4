/** The rank of a percentile among values in ascending order, from 1, as HdrHistogram has it: rounded up, except for rounding errors. */
export function rankOf(percentile: number, count: number): number {
  const rank = Math.ceil(Number(((percentile / 100) * count).toPrecision(15)));
  return Math.min(Math.max(rank, 1), count);
}
