/** A line of CSV. Source of the quoting: RFC 4180 §2. */
export function csvLine(cells: readonly (string | number)[]): string {
  return `${cells.map(quoted).join()}\n`;
}

function quoted(cell: string | number): string {
  const text = String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
