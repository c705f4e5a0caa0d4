import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline';
import { programOf } from '@hdrscope/testing';

/** How Spark is started. */
interface SparkOptions {
  /** The version. @default 'spark', version 3 */
  readonly peer?: 'spark' | 'spark-4';
  /** Where statements run, such as `local-cluster[3,1,1024]`: three executors, each a process. @default this process, one thread */
  readonly master?: string;
  /** More of its command line. @default nothing */
  readonly settings?: readonly string[];
}

/** Spark in a process of its own. */
export class Spark {
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #lines: Interface;

  /** @param folder Where it works, and makes tables. */
  constructor(folder: string, { peer = 'spark', master, settings = [] }: SparkOptions = {}) {
    const all = [
      // The folder that Spark makes for tables, even if there are none.
      `--conf spark.sql.warehouse.dir=${folder}/tables`,
      // Statements run a few times only, so code that is compiled quickly wins.
      '--driver-java-options "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"',
      ...settings,
      'pyspark-shell',
    ];
    const env = { ...process.env, PYSPARK_SUBMIT_ARGS: all.join(' ') };
    this.#process = spawn(programOf(peer), master === undefined ? [] : [master], { cwd: folder, env });
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

  /** The processes of the executors: the driver, a virtual machine that Python starts, starts each of them. */
  listExecutors(): number[] {
    return listChildren(this.#process.pid!).flatMap(listChildren);
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

/** Processes that a process has started and that have not ended. */
function listChildren(pid: number): number[] {
  const { stdout } = spawnSync('ps', ['-o', 'pid=,stat=', '--ppid', String(pid)], { encoding: 'utf8' });
  return [...stdout.matchAll(/^ *(\d+) [^Z]/gm)].map(([, child]) => Number(child));
}
