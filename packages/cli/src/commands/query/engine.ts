import { type Bounds, HdrscopeError } from '@hdrscope/core';
import type { DamagedFile } from '@hdrscope/history';
import { formatBounds, formatCount } from '@hdrscope/kit';
import { ExitCode, type Io, Refusal } from '../../command.ts';
import { defineOption } from '../../define-command.ts';
import { systemErrorText } from '../../system-error.ts';

/** A history that is asked. A damaged file is left out of the answers, and noted. */
export interface AskedHistory {
  readonly folder: string;
  /** The options of all questions. */
  readonly query: { readonly onDamaged: (file: DamagedFile) => void };
  /** The files that the answers lack so far, by their paths. */
  readonly missing: ReadonlyMap<string, DamagedFile>;
}

export function askedHistory(folder: string): AskedHistory {
  const missing = new Map<string, DamagedFile>();
  return { folder, query: { onDamaged: (file) => missing.set(file.path, file) }, missing };
}

export const ALLOW_MISSING = defineOption({
  help: 'exits with 0 although values are missing: files of the history are damaged, or the server does not send all',
});

/** What a history lacks without damaged files, for people: `40 rows with 157 values`. */
export function formatMissing(damaged: readonly DamagedFile[]): string {
  const [rows, values] = [addBounds(damaged, 'rows'), addBounds(damaged, 'values')];
  if (rows.lower === 0 && rows.upper === Number.POSITIVE_INFINITY) {
    return 'an unknown number of rows and values';
  }
  const text = (bounds: Bounds, noun: string): string =>
    `${formatBounds(bounds, formatCount)} ${noun}${bounds.upper === 1 ? '' : 's'}`;
  return `${text(rows, 'row')} with ${text(values, 'value')}`;
}

function addBounds(damaged: readonly DamagedFile[], name: 'rows' | 'values'): Bounds {
  const sum = (end: keyof Bounds): number => damaged.reduce((all, file) => all + file[name][end], 0);
  return { lower: sum('lower'), upper: sum('upper') };
}

/** What an answer lacks, for programs. */
export function missingJson({ missing }: Pick<AskedHistory, 'missing'>): {
  readonly missing: readonly DamagedFile[];
} {
  return { missing: [...missing.values()] };
}

/**
 * Asks a history, and says which files the answer lacks.
 *
 * @returns The exit code.
 */
export async function askHistory(
  folder: string,
  { allowMissing = false }: { readonly allowMissing?: boolean },
  io: Io,
  ask: (history: AskedHistory) => Promise<number>,
): Promise<number> {
  const history = askedHistory(folder);
  const exitCode = await ask(history).finally(() => noteMissing(history, io));
  const isRefused = history.missing.size > 0 && !allowMissing && exitCode === ExitCode.done;
  return isRefused ? ExitCode.refused : exitCode;
}

async function noteMissing({ folder, missing }: AskedHistory, io: Io): Promise<void> {
  if (missing.size === 0) return;
  const reasons = [...missing.values()].map(({ reason }) => `hdrscope: ${reason}\n`).join('');
  const count = missing.size === 1 ? 'a file' : `${missing.size} files`;
  const lost = `the history lacks ${formatMissing([...missing.values()])}`;
  await io.stderr.write(
    `${reasons}hdrscope: the answer lacks the values of ${count} (${lost}): ${repairText(folder)}\n`,
  );
}

function repairText(folder: string): string {
  return `hdrscope history verify ${folder} --repair sets such files aside`;
}

/** Asks DuckDB. Its absence, and that of the folder, become sentences with a cure. */
export async function withEngine<T>(folder: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof HdrscopeError)) throw error;
    const code: string = error.code;
    const { cause, details } = error;
    if (code === 'ERR_HISTORY_FILE' && details.operation === 'list') {
      throw new Refusal(systemErrorText(cause, folder), { cause: error });
    }
    if (code === 'ERR_HISTORY_FILE' && Array.isArray(details.damaged)) {
      const damaged = details.damaged as [DamagedFile, ...DamagedFile[]];
      const [{ reason }] = damaged;
      const more = damaged.length === 1 ? '' : `; there are ${damaged.length} damaged files in ${folder}`;
      const lost = `${more} (the history lacks ${formatMissing(damaged)})`;
      throw new Refusal(`${reason}${lost}: ${repairText(folder)}`, { cause: error });
    }
    // An error with a statement comes from DuckDB itself.
    if (code === 'ERR_HISTORY_ENGINE' && details.sql === undefined) {
      throw new Refusal(`${MISSING} (${cause instanceof Error ? cause.message : String(cause)})`, {
        cause: error,
      });
    }
    throw error;
  }
}

const MISSING =
  'a history is asked by DuckDB: npm install @duckdb/node-api, with --global where hdrscope is installed so';

/** The metrics of a history, by name. */
export async function metricNames({ folder, query }: AskedHistory): Promise<string[]> {
  const { historyMetrics } = await import('@hdrscope/history');
  const metrics = await withEngine(folder, () => historyMetrics(folder, query));
  return [...new Set(metrics.map(({ metric }) => metric))];
}
