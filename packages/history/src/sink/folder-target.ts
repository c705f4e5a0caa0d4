import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { HdrscopeError } from '@hdrscope/core';
import { removeFile } from '@hdrscope/kit/files';
import { fileError } from '../errors.ts';
import type { Files } from '../parquet/files.ts';
import { DAY, dayOf, fileName, hiddenPath, PARTIAL, WAITING } from '../parquet/names.ts';
import { writeFile } from '../parquet/write-file.ts';
import { type RemovedHistory, type Retention, removeWith } from '../retention/remove-days.ts';
import { largestWeight } from '../rows/row-weight.ts';
import { batchGroups } from './batch-groups.ts';
import type { HistoryTarget, RowBatch } from './target.ts';

/** Writes each batch to a Parquet file in the folder of its day, and rows that wait for their batch to smaller ones. */
export class FolderTarget implements HistoryTarget {
  readonly name: string;
  readonly maxBatchBytes: number = Number.POSITIVE_INFINITY;
  readonly #files: Files;

  private constructor(folder: string, files: Files) {
    this.name = folder;
    this.#files = files;
  }

  /** Makes the folder. @throws HdrscopeError `ERR_HISTORY_FILE` when it cannot be made or written. */
  static async open(folder: string, files: Files): Promise<FolderTarget> {
    const probe = join(folder, `${randomBytes(8).toString('hex')}${PARTIAL}`);
    try {
      await files.mkdir(folder);
      await (await files.open(probe, 'wx')).close();
      await files.unlink(probe);
    } catch (error) {
      throw fileError('write to', folder, error);
    }
    return new FolderTarget(folder, files);
  }

  async write(batch: RowBatch): Promise<number> {
    const { startMs } = batch.rows[0]!;
    const day = join(this.name, `${DAY}${dayOf(startMs)}`);
    // A retry has the name of the attempt before, and replaces the file that it may have left.
    const path = join(day, fileName(startMs, batch.producer, batch.number));
    const { bytes } = await writeFile(this.#files, path, batchGroups(batch), factsOf(batch));
    return bytes;
  }

  async keep({ producer, number, rows }: RowBatch): Promise<() => Promise<void>> {
    const { startMs } = rows[0]!;
    const name = fileName(startMs, `${producer} waiting`, number);
    const path = hiddenPath(join(this.name, `${DAY}${dayOf(startMs)}`, name), WAITING);
    const batch = { producer, number, rows };
    await writeFile(this.#files, path, batchGroups(batch), factsOf(batch));
    // One that stays has rows that count once.
    return () => removeFile(this.#files, path).catch(() => {});
  }

  removeOld(retention: Retention, nowMs: number): Promise<RemovedHistory> {
    return removeWith(this.name, { ...retention, nowMs }, this.#files);
  }

  errorOf(cause: unknown): HdrscopeError {
    return fileError('write', this.name, cause);
  }

  async close(): Promise<void> {}
}

function factsOf({ rows }: RowBatch): { readonly hasWeights: boolean } {
  return { hasWeights: largestWeight(rows) > 1 };
}
