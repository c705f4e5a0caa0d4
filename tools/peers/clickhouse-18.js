import { unpackWithDependencies, writeCommand } from './debian.js';

/** The version that Debian 12 has. */
export const VERSION = '18.16.1';

/**
 * Unpacks Debian's server of ClickHouse into a folder, with a command in `bin` that runs it.
 *
 * @param {string} folder
 */
export function unpackClickHouse18(folder) {
  const names = ['clickhouse-server', 'clickhouse-common'];
  unpackWithDependencies(
    names.map((name) => ({ name, version: VERSION })),
    folder,
  );
  writeCommand(folder, 'clickhouse-server', 'exec "$here/usr/sbin/clickhouse-server"');
}
