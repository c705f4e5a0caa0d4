/** A column: its title, and whether its cells are words, which begin at the left. */
export interface Column {
  readonly title: string;
  readonly isText?: boolean;
}

/** Columns as wide as their widest cell; the first line has the titles. */
export function formatTable(columns: readonly Column[], rows: readonly (readonly string[])[]): string[] {
  const cells = [columns.map(({ title }) => title), ...rows];
  const widths = columns.map((_, at) => Math.max(...cells.map((row) => (row[at] ?? '').length)));
  const last = columns.length - 1;
  return cells.map((row) =>
    row
      .map((cell, at) => {
        if (columns[at]?.isText !== true) return cell.padStart(widths[at]!);
        return at === last ? cell : cell.padEnd(widths[at]!);
      })
      .join('  '),
  );
}

/** The same as a table of Markdown. */
export function formatMarkdown(columns: readonly Column[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    line(columns.map(({ title }) => title)),
    `|${columns.map(({ isText }) => (isText ? '---' : '--:')).join('|')}|`,
    ...rows.map((row) => line(row.map((cell) => cell.replaceAll('|', '\\|')))),
  ];
}
