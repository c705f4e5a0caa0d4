import { Readable } from 'node:stream';

/** The part of `@clickhouse/client` that this package uses. */
export interface ClickHouseModule {
  createClient(options: Readonly<Record<string, unknown>>): ClickHouseClient;
  readonly ClickHouseLogLevel: { readonly OFF: number };
}

export interface ClickHouseClient {
  command(statement: { readonly query: string; readonly abort_signal: AbortSignal }): Promise<unknown>;
  insert(insert: {
    readonly table: string;
    readonly columns: readonly string[];
    readonly format: 'Parquet';
    readonly values: Readable;
    readonly abort_signal: AbortSignal;
    readonly clickhouse_settings: Readonly<Record<string, string | number>>;
  }): Promise<unknown>;
  close(): Promise<void>;
}

/** A stream of these bytes. */
export function streamOf(parts: readonly Uint8Array[]): Readable {
  return Readable.from(parts, { objectMode: false });
}
