import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline';
import { programOf } from '@hdrscope/testing';

/** How Spark is started. */
interface SparkOptions {
  /** The version. @default 'spark', version 3 */
  readonly peer?: 'spark' | 'spark-4';
  /** More of its command line. @default nothing */
  readonly settings?: readonly string[];
}

/** Spark in a process of its own. */
export class Spark {
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #lines: Interface;

  /** @param folder Where it works, and makes tables. */
  constructor(folder: string, { peer = 'spark', settings = [] }: SparkOptions = {}) {
    const all = [
      // The folder that Spark makes for tables, even if there are none.
      `--conf spark.sql.warehouse.dir=${folder}/tables`,
      // Statements run a few times only, so code that is compiled quickly wins.
      '--driver-java-options "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"',
      ...settings,
      'pyspark-shell',
    ];
    const env = { ...process.env, PYSPARK_SUBMIT_ARGS: all.join(' ') };
    this.#process = spawn(programOf(peer), { cwd: folder, env });
    this.#process.stderr.resume();
    this.#lines = createInterface({ input: this.#process.stdout });
  }

  /** The rows of the answer to a statement. @throws Error that of Spark */
  async ask(sql: string): Promise<Record<string, unknown>[]> {
    const answer = once(this.#lines, 'line');
    this.#process.stdin.write(`${JSON.stringify(sql)}\n`);
    const rows = JSON.parse((await answer)[0]);
    if (!Array.isArray(rows)) throw new Error(rows.error);
    return rows;
  }

  async stop(): Promise<void> {
    const ended = once(this.#process, 'exit');
    this.#process.stdin.end();
    await ended;
    // The virtual machine of Java may hold them a little longer.
    this.#lines.close();
    this.#process.stdout.destroy();
    this.#process.stderr.destroy();
  }
}
