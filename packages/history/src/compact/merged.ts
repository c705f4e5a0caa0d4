import { type FileShape, readShape } from '../parquet/decode.ts';
import { compareRows, isSameRow } from '../parquet/order.ts';
import type { HistoryRow } from '../rows/row.ts';

/** How much memory the row groups take that a merge holds, in bytes: one of each of its files. */
const MOST_BYTES = 32 * 2 ** 20;
/** Systems let a process open 256 files at least, and others of the process need theirs. */
const MOST_FILES = 128;

/** Files that are merged at one time. */
export interface MergedFiles {
  readonly paths: readonly string[];
  /** Whether rows may have weights. */
  readonly hasWeights: boolean;
}

/**
 * Merges some files of a list into one, and goes on until the rest can be merged at one time.
 *
 * @param merge Writes a file with the rows of some files, and returns its path.
 * @returns The rest.
 */
export async function mergeToFew(
  paths: readonly string[],
  merge: (files: MergedFiles) => Promise<string>,
): Promise<MergedFiles> {
  for (let level = paths; ; ) {
    const batches = await batchFiles(level);
    if (batches.length <= 1) return batches[0] ?? { paths: [], hasWeights: false };
    const next: string[] = [];
    for (const batch of batches) next.push(batch.paths.length > 1 ? await merge(batch) : batch.paths[0]!);
    level = next;
  }
}

/** Parts of a list of files: memory holds a row group of each file of a part. Two files are a part, whatever they need. */
async function batchFiles(paths: readonly string[]): Promise<MergedFiles[]> {
  const batches: (readonly [path: string, FileShape])[][] = [];
  let bytes = 0;
  for (const path of paths) {
    const shape = await readShape(path);
    const last = batches.at(-1);
    bytes += shape.groupBytes;
    const isFull =
      last === undefined || last.length >= MOST_FILES || (last.length >= 2 && bytes > MOST_BYTES);
    if (isFull) {
      batches.push([[path, shape]]);
      bytes = shape.groupBytes;
    } else {
      last.push([path, shape]);
    }
  }
  return batches.map((files) => ({
    paths: files.map(([path]) => path),
    hasWeights: files.some(([, { hasWeights }]) => hasWeights),
  }));
}

interface Head {
  readonly rows: AsyncIterator<HistoryRow>;
  row: HistoryRow;
}

/**
 * Several lists of rows as one, in the order of a file. Rows that are the same row come once, in their largest revision. Lists that are in
 * the order of a file need no memory; otherwise some duplicates may stay, which statements drop.
 *
 * @param onDuplicate Called for each row that is left out.
 */
export async function* merged(
  lists: readonly AsyncIterable<HistoryRow>[],
  onDuplicate: () => void,
): AsyncGenerator<HistoryRow, void, undefined> {
  const open: AsyncIterator<HistoryRow>[] = [];
  try {
    // In order, the next row last.
    const heads: Head[] = [];
    for (const list of lists) {
      const rows = list[Symbol.asyncIterator]();
      open.push(rows);
      const first = await rows.next();
      if (!first.done) insert(heads, { rows, row: first.value });
    }
    let last: HistoryRow | undefined;
    for (let head = heads.pop(); head !== undefined; head = heads.pop()) {
      const { row, rows } = head;
      if (last !== undefined && isSameRow(last, row)) onDuplicate();
      else yield row;
      last = row;
      const next = await rows.next();
      if (!next.done) insert(heads, { rows, row: next.value });
    }
  } finally {
    for (const rows of open) await rows.return?.();
  }
}

function insert(heads: Head[], head: Head): void {
  let from = 0;
  let to = heads.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (compareRows(heads[middle]!.row, head.row) > 0) from = middle + 1;
    else to = middle;
  }
  heads.splice(from, 0, head);
}
