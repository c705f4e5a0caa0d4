import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { programOf } from './peers.ts';

/** ClickHouse in a process of its own, behind HTTP. It needs the peer `chdb`. */
export class ClickHouse {
  /** Its address: `http://127.0.0.1:40123`. */
  readonly url: string;
  readonly #folder: string;
  readonly #child: ChildProcess;
  readonly #password: string;

  private constructor(url: string, folder: string, child: ChildProcess, password: string) {
    this.url = url;
    this.#folder = folder;
    this.#child = child;
    this.#password = password;
  }

  /** @param password The password of the user `default`. */
  static async start(password = ''): Promise<ClickHouse> {
    const folder = mkdtempSync(join(tmpdir(), 'hdrscope-clickhouse-'));
    const child = fork(join(import.meta.dirname, 'clickhouse-front.mjs'), [programOf('chdb'), folder], {
      execArgv: [],
      env: { ...process.env, ...(password !== '' && { CLICKHOUSE_PASSWORD: password }) },
      silent: true,
      // Also when the tests die.
      timeout: 300_000,
      killSignal: 'SIGKILL',
    });
    let complaints = '';
    child.stderr!.setEncoding('utf8').on('data', (text) => {
      complaints += text;
    });
    const [port] = await Promise.race([
      once(child.stdout!.setEncoding('utf8'), 'data'),
      once(child, 'exit').then(() => Promise.reject(new Error(`ClickHouse has not started: ${complaints}`))),
    ]);
    return new ClickHouse(`http://127.0.0.1:${Number(port)}`, folder, child, password);
  }

  /** The rows of a statement; integers of 64 bits are texts in them. */
  async ask(sql: string): Promise<Record<string, unknown>[]> {
    const lines = (await this.run(`${sql}\nFORMAT JSONEachRow`)).split('\n');
    return lines.filter(Boolean).map((line) => JSON.parse(line));
  }

  /** Runs a statement. */
  async run(sql: string): Promise<string> {
    const user = Buffer.from(`default:${this.#password}`).toString('base64');
    const answer = await fetch(this.url, {
      method: 'POST',
      headers: { authorization: `Basic ${user}` },
      body: sql,
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(text);
    return text;
  }

  async stop(): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
