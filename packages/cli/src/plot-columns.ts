/** The width of a plot between other lines: that of the terminal, within readable limits. */
export function plotColumns(columns = 80): number {
  return Math.min(Math.max(columns, 40), 120);
}
