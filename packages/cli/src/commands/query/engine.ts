import { HdrscopeError } from '@hdrscope/core';
import type { DamagedFile } from '@hdrscope/history';
import { Refusal } from '../../command.ts';
import { systemErrorText } from '../../system-error.ts';

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
      const [{ reason }, ...others] = details.damaged as [DamagedFile, ...DamagedFile[]];
      const more = others.length === 0 ? '' : `, and ${others.length} more files of ${folder} cannot be read`;
      throw new Refusal(
        `${reason}${more}: hdrscope history verify ${folder} --repair sets such files aside`,
        {
          cause: error,
        },
      );
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
