import { formatUpdate } from '../src/live-table.ts';

const plain = (header: string): string => header;

test('every sixth update has a header', () => {
  const rows = [{ label: 'GET /search', histogram: undefined }];
  const headers = Array.from({ length: 13 }, (_, index) =>
    formatUpdate(index, `${index + 1} s`, rows, plain),
  ).map((text) => text.includes('p99.9'));

  expect(headers.flatMap((isThere, index) => (isThere ? [index] : []))).toEqual([0, 6, 12]);
});

test('a repeated header follows an empty line and has the style of the output', () => {
  const rows = [{ label: 'GET /search', histogram: undefined }];
  const row = '    7 s  GET /search                    0         -         -         -         -         -\n';

  expect(formatUpdate(6, '7 s', rows, () => '<header>')).toBe(`\n<header>\n${row}`);
  expect(formatUpdate(0, '7 s', rows, () => '<header>')).toBe(`<header>\n${row}`);
  expect(formatUpdate(7, '7 s', rows, () => '<header>')).toBe(row);
});
