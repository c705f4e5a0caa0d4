import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Lack, lackOfProgram } from './needs.ts';

// PostgreSQL refuses to run as root.
const NOBODY = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

/** There is no PostgreSQL to ask. `undefined` where there is. */
export function lackOfPostgres(): Lack | undefined {
  return lackOfProgram('initdb') ?? lackOfProgram('postgres') ?? lackOfProgram('psql');
}

/** A server of its own, in a folder of its own, which only a socket in this folder reaches. */
export class Postgres {
  /** Its socket. */
  readonly socket: string;
  /** Its address for clients. The user needs no password. */
  readonly url: string;
  readonly #folder: string;
  readonly #server: ChildProcess;

  private constructor(folder: string, server: ChildProcess) {
    this.socket = join(folder, '.s.PGSQL.5432');
    this.url = `postgres:///postgres?host=${folder}&user=history`;
    this.#folder = folder;
    this.#server = server;
  }

  static async start(): Promise<Postgres> {
    const folder = mkdtempSync(join(tmpdir(), 'hdrscope-postgres-'));
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
      if (performance.now() > endMs) {
        await postgres.stop();
        throw new Error(stderr);
      }
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
    // As digits: psql leaves out characters such as U+10FFFE.
    const { status, stdout, stderr } = this.#psql(
      `SELECT encode(convert_to(coalesce(json_agg(answer), '[]')::text, 'UTF8'), 'hex') FROM (${sql}) AS answer`,
    );
    if (status !== 0) throw new Error(stderr);
    return JSON.parse(Buffer.from(stdout.trim(), 'hex').toString());
  }

  async stop(): Promise<void> {
    const { exitCode, signalCode } = this.#server;
    if (exitCode === null && signalCode === null) {
      const ended = once(this.#server, 'exit');
      this.#server.kill('SIGQUIT');
      await ended;
    }
    rmSync(this.#folder, { recursive: true, force: true });
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
