import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parquetMetadata } from 'hyparquet';
import type { HistoryRow } from '../../src/index.ts';
import { minutes } from './filled-folder.ts';
import { writeRows } from './folder.ts';
import { newDirectory } from './sandbox.ts';

const DAY_MS = 86_400_000;
const [METRICS, ROUTES] = [4, 2];

/** A folder of days with quarters of an hour of two routes of four metrics, each metric in a row group of its own. */
export interface FolderOfDays {
  readonly folder: string;
  readonly startMs: number;
}

/** Writes a folder of so many days. */
export async function fillDays(days: number): Promise<FolderOfDays> {
  const folder = newDirectory();
  const [row] = (await minutes(1)) as [HistoryRow];
  const { startMs } = row;
  for (let day = 0; day < days; day++) {
    const rows: HistoryRow[] = [];
    for (let series = 0; series < METRICS * ROUTES; series++) {
      const identity = {
        metric: `lat${series % METRICS}`,
        attributes: { route: `/${Math.floor(series / METRICS)}` },
        producer: `shop ${series}`,
      };
      for (let at = 0; at < DAY_MS; at += 900_000) {
        const beginMs = startMs + day * DAY_MS + at;
        rows.push({
          ...row,
          ...identity,
          startMs: beginMs,
          endMs: beginMs + 900_000,
          sequence: beginMs,
        });
      }
    }
    await writeRows(folder, rows, 192);
  }
  return { folder, startMs };
}

/** Overwrites the pages of the row groups that a question need not read, in all files of a folder. Returns the share of those that stay. */
export function destroyOthers(folder: string, metric: string, sinceMs: number, untilMs: number): number {
  let [all, kept] = [0, 0];
  for (const path of readdirSync(folder, { recursive: true }) as string[]) {
    if (!path.endsWith('.parquet')) continue;
    const bytes = readFileSync(join(folder, path));
    const { row_groups: groups } = parquetMetadata(new Uint8Array(bytes).buffer);
    for (const { columns } of groups) {
      const statistics = (name: string): { min: unknown; max: unknown } => {
        const { meta_data: found } = columns.find((one) => one.meta_data!.path_in_schema[0] === name)!;
        return { min: found!.statistics!.min_value, max: found!.statistics!.max_value };
      };
      const [names, starts] = [statistics('metric'), statistics('start')];
      const hasMetric = String(names.min) <= metric && metric <= String(names.max);
      all++;
      if (hasMetric && Number(starts.min) < untilMs && Number(starts.max) >= sinceMs) kept++;
      else {
        for (const {
          meta_data: {
            data_page_offset: data,
            dictionary_page_offset: dictionary,
            total_compressed_size: size,
          } = {} as never,
        } of columns as {
          meta_data?: {
            data_page_offset: bigint;
            dictionary_page_offset?: bigint;
            total_compressed_size: bigint;
          };
        }[]) {
          const at = Number(dictionary ?? data);
          bytes.fill(0, at, at + Number(size));
        }
      }
    }
    writeFileSync(join(folder, path), bytes);
  }
  return kept / all;
}
