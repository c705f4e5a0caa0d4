import { HdrscopeError } from '@hdrscope/core';
import { custom, listOf, type OptionRule, text } from '@hdrscope/core/internal';
import type { TableSqlOptions } from '../sql/table-sql.ts';

/** Options of every table. */
export interface ServerTableOptions extends Pick<TableSqlOptions, 'ttlDays'> {
  /**
   * The user.
   * @default the user of `url`
   */
  readonly user?: string;
  /** The password of the user. Errors and health leave it out. @default the password of `url` */
  readonly password?: string;
  /** The name of the table; several texts are a qualified name. @default 'history' */
  readonly table?: string | readonly string[];
  /** Whether the table is made if it does not exist: see `historyTableSql`. @default false */
  readonly create?: boolean;
  /**
   * How long connecting, and then an insert, may take in milliseconds: above 0. A process that ends without `close` waits as long for an
   * insert that runs. @default 10_000
   */
  readonly timeoutMs?: number;
}

/** The rule of the name of a table. */
export const TABLE_NAME: OptionRule<string | readonly string[]> = custom(
  'a text, or an array of texts',
  (value) => text.accepts(value) || listOf(text, 'texts').accepts(value),
);

/** The rule of a user and a password. */
export const CREDENTIAL: OptionRule<string> = { ...text, isSecret: true };

/** Options of every table, checked, with their defaults. */
export interface ServerTableSettings {
  /** With neither user nor password. */
  readonly url: URL;
  /** Empty where nobody named one. */
  readonly user: string;
  readonly password: string;
  readonly table: string | readonly string[];
  readonly create: boolean;
  readonly timeoutMs: number;
}

/**
 * Checks the address of a server, and gives the other options their defaults.
 *
 * @param protocols What the address of a server may begin with, such as `http:`.
 * @param example An address, for messages.
 * @throws HdrscopeError `ERR_INVALID_OPTION`. Its message has no part of the address, which may have a password.
 */
export function serverSettings(
  { user, password, table = 'history', create = false, timeoutMs = 10_000 }: ServerTableOptions,
  address: unknown,
  protocols: readonly string[],
  example: string,
): ServerTableSettings {
  const url = urlOf(address);
  if (url === undefined || !protocols.includes(url.protocol)) {
    throw new HdrscopeError('ERR_INVALID_OPTION', `url must be an address such as ${example}`);
  }
  const named = { user: user ?? decoded(url.username), password: password ?? decoded(url.password) };
  url.username = '';
  url.password = '';
  return { url, ...named, table, create, timeoutMs };
}

/** Names a table and its server for people. */
export function shownTable(engine: string, { url, table }: ServerTableSettings): string {
  const name = typeof table === 'string' ? table : table.join('.');
  return `${name} of ${engine} at ${url.protocol}//${url.host}${url.pathname.replace(/\/$/, '')}`;
}

function urlOf(address: unknown): URL | undefined {
  try {
    return new URL(address as string);
  } catch {
    return undefined;
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
