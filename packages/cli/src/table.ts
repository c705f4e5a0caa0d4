import { visible } from '@hdrscope/core/internal';

/** A column: its title, and whether its cells are words. Words begin at the left, numbers end at the right. */
export interface Column {
  readonly title: string;
  readonly isText?: boolean;
}

/** Formats a table with columns as wide as their widest cell. The first line has the titles. */
export function formatTable(columns: readonly Column[], rows: readonly (readonly string[])[]): string[] {
  const cells = [columns.map(({ title }) => title), ...rows].map((row) => row.map((cell) => visible(cell)));
  const widths = columns.map((_, at) =>
    cells.reduce((widest, row) => Math.max(widest, row[at]?.length ?? 0), 0),
  );
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

/** Formats a table as Markdown. */
export function formatMarkdown(columns: readonly Column[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    line(columns.map(({ title }) => title)),
    `|${columns.map(({ isText }) => (isText ? '---' : '--:')).join('|')}|`,
    ...rows.map((row) => line(row.map((cell) => visible(cell).replaceAll('|', '\\|')))),
  ];
}
