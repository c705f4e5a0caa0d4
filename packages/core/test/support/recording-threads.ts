import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { javaScriptOf } from '@hdrscope/testing';

/**
 * The work of a thread. It records all values `rounds` times, for `leastMs` at least, and after each round one of
 * them `bulk` times.
 */
export interface Recording {
  readonly buffer: SharedArrayBuffer;
  /** Threads that have arrived, and threads that are expected. */
  readonly gate: Int32Array<SharedArrayBuffer>;
  readonly values: readonly number[];
  readonly rounds: number;
  readonly leastMs: number;
  readonly bulk: number;
}

const PACKAGE = fileURLToPath(new URL('../..', import.meta.url));
const THREAD = 'test/support/recording-thread.ts';

/** The sources of this package as JavaScript for threads: Jest transforms only modules that it loads itself. */
export class RecordingThreads {
  readonly #directory = mkdtempSync(join(tmpdir(), 'hdrscope-'));

  constructor() {
    const sources = readdirSync(join(PACKAGE, 'src'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
      .map((entry) => relative(PACKAGE, join(entry.parentPath, entry.name)));
    for (const source of [...sources, THREAD]) {
      const target = this.#builtFrom(source);
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, javaScriptOf(join(PACKAGE, source)));
    }
    const imports = {
      '#base64': './src/encoding/base64.node.js',
      '#zlib': './src/encoding/zlib.node.js',
    };
    writeFileSync(join(this.#directory, 'package.json'), JSON.stringify({ type: 'module', imports }));
  }

  /** Runs one thread for each list of values, all at once, until all have ended or one has failed. Returns the rounds of each. */
  async run(
    buffer: SharedArrayBuffer,
    lists: readonly (readonly number[])[],
    { rounds, leastMs = 0, bulk = 0 }: Pick<Recording, 'rounds'> & Partial<Recording>,
  ): Promise<number[]> {
    const gate = new Int32Array(new SharedArrayBuffer(8));
    gate[1] = lists.length;
    const workers = lists.map((values) => {
      const workerData: Recording = { buffer, gate, values, rounds, leastMs, bulk };
      return new Worker(this.#builtFrom(THREAD), { workerData, execArgv: [] });
    });
    try {
      return await Promise.all(workers.map(roundsOf));
    } finally {
      await Promise.all(workers.map((worker) => worker.terminate()));
    }
  }

  remove(): void {
    rmSync(this.#directory, { recursive: true });
  }

  #builtFrom(source: string): string {
    return join(this.#directory, source.replace(/\.ts$/, '.js'));
  }
}

function roundsOf(worker: Worker): Promise<number> {
  return new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`the thread ended with ${code}`)));
  });
}
