/** How wide a plot between other lines is: as the terminal, within what can be read. */
export function plotColumns(columns = 80): number {
  return Math.min(Math.max(columns, 40), 120);
}
