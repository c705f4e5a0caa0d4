import {
  appendFileSync,
  copyFileSync,
  existsSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { followLog } from '@hdrscope/interval-log';
import type { FollowOptions } from '@hdrscope/interval-log/internal';
import { intervalLine } from '../../operations/support/logs.ts';
import { newDirectory } from '../../support/sandbox.ts';

/** A log that is written, rotated and followed, with a count of each line. */
export class Ledger {
  readonly path: string;
  readonly read: number[] = [];
  readonly notes: string[] = [];
  malformed = 0;
  #written = 0;
  readonly #ending = new AbortController();
  readonly #following: Promise<void>;

  constructor(options: FollowOptions = {}, path = join(newDirectory(), 'service.hlog')) {
    this.path = path;
    writeFileSync(path, '');
    this.#following = this.#follow({ pollMs: 20, ...options });
  }

  /** Resolves when the file is followed: rotated files from before are not read. */
  async started(): Promise<void> {
    while (!this.notes.includes('caught-up')) await sleep(5);
  }

  /** Writes lines as a writer that opens the file for each of them. */
  write(lines = 1): void {
    for (let n = 0; n < lines; n++) appendFileSync(this.path, this.line());
  }

  /** The next line of the log. */
  line(): string {
    return intervalLine({ at: this.#written++, values: [1] });
  }

  /** Resolves when every line was read, except so many that nobody can read, or when no line has come for long. */
  async caughtUp(lost = 0): Promise<void> {
    let [most, idleMs] = [0, 0];
    while (new Set(this.read).size < this.#written - lost && idleMs < 10_000) {
      await sleep(5);
      idleMs = this.read.length > most ? 0 : idleMs + 5;
      most = this.read.length;
    }
  }

  /** Ends when `caughtUp` resolves. */
  async end(lost = 0): Promise<void> {
    await this.caughtUp(lost);
    this.#ending.abort();
    await this.#following;
  }

  async #follow(options: FollowOptions): Promise<void> {
    for await (const entry of followLog(this.path, { signal: this.#ending.signal, ...options })) {
      if (entry.kind === 'interval') this.read.push(entry.timestampSec);
      else if (entry.kind === 'malformed') this.malformed++;
      else this.notes.push('reason' in entry ? `${entry.kind}: ${entry.reason}` : entry.kind);
    }
  }

  expectAll(): void {
    expect(this.read.toSorted((a, b) => a - b)).toEqual(Array.from({ length: this.#written }, (_, n) => n));
    expect(this.malformed).toBe(0);
    expect(this.notes.filter((note) => note.startsWith('lost'))).toEqual([]);
  }
}

/** Moves `service.hlog.1` to `service.hlog.2` and so on. */
export function shift(path: string, keep = 100): void {
  for (const suffix of ['', '.gz']) {
    rmSync(`${path}.${keep}${suffix}`, { force: true });
    for (let n = keep - 1; n >= 1; n--) {
      if (existsSync(`${path}.${n}${suffix}`))
        renameSync(`${path}.${n}${suffix}`, `${path}.${n + 1}${suffix}`);
    }
  }
}

export function compress(path: string): void {
  writeFileSync(`${path}.gz`, gzipSync(readFileSync(path)));
  unlinkSync(path);
}

export function create(log: Ledger): void {
  shift(log.path);
  renameSync(log.path, `${log.path}.1`);
  writeFileSync(log.path, '');
}

function copyTruncate({ path }: Ledger): void {
  shift(path);
  copyFileSync(path, `${path}.1`);
  truncateSync(path, 0);
}

let dated = 0;

const SAME_COPY = 'copytruncate over the same copy';

/** Nothing here is asynchronous, so `followLog` cannot look meanwhile. */
const ROTATIONS: Readonly<Record<string, (log: Ledger) => void>> = {
  create,
  'create, and a line at once': (log) => {
    create(log);
    log.write();
  },
  'create twice between two looks': (log) => {
    create(log);
    log.write(2);
    create(log);
    log.write();
  },
  'create three times between two looks': (log) => {
    for (const lines of [2, 1, 30]) {
      create(log);
      log.write(lines);
    }
  },
  'create, and the log of the time before is compressed': (log) => {
    if (existsSync(`${log.path}.1`)) compress(`${log.path}.1`);
    create(log);
    log.write();
  },
  'create, and the log is compressed at once': (log) => {
    for (const lines of [3, 2]) {
      create(log);
      compress(`${log.path}.1`);
      log.write(lines);
    }
  },
  'names with dates': (log) => {
    for (const lines of [3, 2]) {
      const stamp = `2026010${1 + (dated % 9)}T${String(dated++).padStart(6, '0')}Z`;
      renameSync(log.path, log.path.replace('.hlog', `.${stamp}.hlog`));
      log.write(lines);
    }
  },
  copytruncate: copyTruncate,
  'copytruncate, and a line at once': (log) => {
    log.write();
    copyTruncate(log);
    log.write();
  },
  'copytruncate, and as many lines at once as before': (log) => {
    log.write(3);
    copyTruncate(log);
    log.write(60);
  },
  'copytruncate twice between two looks': (log) => {
    log.write(2);
    copyTruncate(log);
    log.write(40);
    copyTruncate(log);
    log.write(3);
  },
  [SAME_COPY]: (log) => {
    log.write();
    copyFileSync(log.path, `${log.path}.1`);
    truncateSync(log.path, 0);
    log.write(2);
  },
  'copytruncate, and the copy is compressed at once': (log) => {
    log.write(2);
    copyTruncate(log);
    compress(`${log.path}.1`);
    log.write(35);
  },
};

/** How often each rotation happens. */
export interface RotationCounts {
  readonly ofEach: number;
  readonly inTurn: number;
  readonly duringLooks: number;
}

/** Describes that followLog reads each line once, however the log is rotated. */
export function describeRotations({ ofEach, inTurn, duringLooks }: RotationCounts): void {
  describe('no line is lost or read twice with', () => {
    test.each(Object.keys(ROTATIONS))('%s', async (name) => {
      const log = new Ledger();
      await log.started();
      for (let rotation = 0; rotation < ofEach; rotation++) {
        for (let n = 0; n < 5; n++) {
          log.write();
          await sleep(1);
        }
        // Nobody has the lines of a copy that is written over.
        if (name === SAME_COPY) await log.caughtUp();
        ROTATIONS[name]!(log);
        await sleep(rotation % 3 === 0 ? 30 : 1);
      }
      await log.end();
      log.expectAll();
    });

    test('all of them in turn', async () => {
      const log = new Ledger();
      await log.started();
      for (let rotation = 0; rotation < inTurn; rotation++) {
        log.write(3);
        if (rotation % 4 === 0) await sleep(rotation % 60);
        Object.values(ROTATIONS)[(rotation * 5) % Object.keys(ROTATIONS).length]!(log);
        await log.caughtUp();
      }
      await log.end();
      log.expectAll();
    });

    test('first lines that are compressed while `followLog` looks for rotated files', async () => {
      for (let attempt = 0; attempt < duringLooks; attempt++) {
        const path = join(newDirectory(), 'service.hlog');
        // So many that a look takes longer than the time between two looks.
        for (let n = 2; n < 300; n++) writeFileSync(`${path}.${n}`, `#old log ${n}\n`);
        const log = new Ledger({ pollMs: 1 }, path);
        await log.started();
        await sleep((36 * attempt) / duringLooks);
        log.write(3);
        renameSync(path, `${path}.1`);
        compress(`${path}.1`);
        log.write();
        await log.end();
        log.expectAll();
      }
    });

    test('a writer that goes on with the renamed file for a while', async () => {
      const log = new Ledger();
      await log.started();
      let file = openSync(log.path, 'a');
      for (let rotation = 0; rotation < 10; rotation++) {
        writeSync(file, log.line());
        await sleep(10);
        create(log);
        for (let n = 0; n < 4; n++) {
          await sleep(25);
          writeSync(file, log.line());
        }
        file = openSync(log.path, 'a');
        writeSync(file, log.line());
      }
      await log.end();
      log.expectAll();
    });

    test('a symbolic link to the log', async () => {
      const target = join(newDirectory(), 'service.hlog');
      writeFileSync(target, '');
      const path = join(newDirectory(), 'link.hlog');
      symlinkSync(target, path);
      const log = new Ledger({}, path);
      await log.started();
      for (let rotation = 0; rotation < 10; rotation++) {
        log.write(3);
        await sleep(10);
        const atTarget = { path: target, write: (lines: number) => log.write(lines) } as Ledger;
        ROTATIONS['create twice between two looks']!(atTarget);
        ROTATIONS['copytruncate, and as many lines at once as before']!(atTarget);
        await sleep(60);
      }
      await log.end();
      log.expectAll();
    });
  });
}
