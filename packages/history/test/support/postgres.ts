import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync } from 'node:fs';
import { join } from 'node:path';
import type { HistoryRow } from '../../src/index.ts';
import { DIALECTS } from '../../src/sql/dialects.ts';
import { newDirectory } from './sandbox.ts';

// PostgreSQL refuses to run as root.
const NOBODY = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

/** The reason why there is no PostgreSQL to ask; `undefined` where there is. */
export function whyNoPostgres(): string | undefined {
  const missing = ['initdb', 'postgres', 'psql'].find((name) => spawnSync(name, ['--version']).status !== 0);
  return missing === undefined ? undefined : `PostgreSQL is not installed: no ${missing}`;
}

/** A server of its own, in a folder of its own, which only a socket in this folder reaches. */
export class Postgres {
  readonly #folder: string;
  readonly #server: ChildProcess;

  private constructor(folder: string, server: ChildProcess) {
    this.#folder = folder;
    this.#server = server;
  }

  static async start(): Promise<Postgres> {
    const folder = newDirectory();
    if (NOBODY.uid !== undefined) chownSync(folder, NOBODY.uid, NOBODY.gid);
    chmodSync(folder, 0o700);
    const data = join(folder, 'data');
    const env = { ...process.env, LC_ALL: 'C' };
    const made = spawnSync(
      'initdb',
      ['-D', data, '-U', 'history', '-A', 'trust', '-E', 'UTF8', '--no-sync'],
      {
        ...NOBODY,
        cwd: folder,
        env,
        encoding: 'utf8',
      },
    );
    if (made.status !== 0) throw new Error(made.stderr);
    const settings = ['-c', 'listen_addresses=', '-c', 'fsync=off'];
    const server = spawn('postgres', ['-D', data, '-k', folder, ...settings], {
      ...NOBODY,
      cwd: folder,
      env,
      stdio: 'ignore',
    });
    const postgres = new Postgres(folder, server);
    for (const endMs = performance.now() + 60_000; ; ) {
      const { status, stderr } = postgres.#psql('SELECT 1');
      if (status === 0) return postgres;
      if (performance.now() > endMs) throw new Error(stderr);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** Runs statements. */
  run(sql: string): void {
    const { status, stderr } = this.#psql(sql);
    if (status !== 0) throw new Error(stderr);
  }

  /** The rows of one statement. */
  ask(sql: string): Record<string, unknown>[] {
    const { status, stdout, stderr } = this.#psql(
      `SELECT coalesce(json_agg(answer), '[]') FROM (${sql}) AS answer`,
    );
    if (status !== 0) throw new Error(stderr);
    return JSON.parse(stdout);
  }

  async stop(): Promise<void> {
    const ended = once(this.#server, 'exit');
    this.#server.kill('SIGQUIT');
    await ended;
  }

  #psql(input: string) {
    const args = [
      '-h',
      this.#folder,
      '-U',
      'history',
      '-d',
      'postgres',
      '-X',
      '-q',
      '-A',
      '-t',
      '-v',
      'ON_ERROR_STOP=1',
    ];
    return spawnSync('psql', args, { input, encoding: 'utf8', maxBuffer: 2 ** 28 });
  }
}

/** Inserts rows into the table `history`. Rows that it has already are left out. */
export function insertSql(rows: readonly HistoryRow[]): string {
  const json = DIALECTS.postgres.text(JSON.stringify(rows));
  const integers = (name: string, type: string): string =>
    `ARRAY(SELECT jsonb_array_elements_text(${name})::${type})`;
  return `INSERT INTO history SELECT metric, unit, attributes, to_timestamp("startMs" / 1000.0), to_timestamp("endMs" / 1000.0), producer, sequence, count, sum, min, max, scale, bits, ${integers('k', 'integer')}, ${integers('c', 'bigint')}, version
FROM jsonb_to_recordset(${json}::jsonb) AS r(metric text, unit text, attributes jsonb, "startMs" bigint, "endMs" bigint, producer text, sequence bigint, count bigint, sum float8, min float8, max float8, scale float8, bits integer, k jsonb, c jsonb, version integer)
ON CONFLICT DO NOTHING`;
}
