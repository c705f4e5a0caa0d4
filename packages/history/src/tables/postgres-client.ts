import type { ServerTableSettings } from './options.ts';

/** The part of `pg` that this package uses. */
export interface PostgresModule {
  readonly default: { readonly Client: new (options: Readonly<Record<string, unknown>>) => PostgresClient };
}

export interface PostgresClient {
  connect(): Promise<unknown>;
  query(statement: string, parameters?: readonly string[]): Promise<unknown>;
  end(): Promise<void>;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/** A client that is not connected yet. */
export function clientOf(
  { default: { Client } }: PostgresModule,
  { url, user, password, timeoutMs }: ServerTableSettings,
): PostgresClient {
  const address = new URL(url);
  // As parameters, because an address without a host has no place for them.
  if (user !== '') address.searchParams.set('user', user);
  if (password !== '') address.searchParams.set('password', password);
  const client = new Client({
    connectionString: address.href,
    application_name: 'hdrscope',
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
    statement_timeout: timeoutMs,
  });
  // The statement that runs rejects with it, too.
  client.on('error', () => {});
  return client;
}
