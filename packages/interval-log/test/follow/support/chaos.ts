import { appendFileSync, copyFileSync, readdirSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FollowMemory, type FollowNote, followLog, type LogEntry } from '@hdrscope/interval-log';
import { followBytes } from '@hdrscope/interval-log/internal';
import fc from 'fast-check';
import { LogParser } from '../../../src/reader/parser.ts';
import { intervalLine } from '../../operations/support/logs.ts';
import { newDirectory } from '../../support/sandbox.ts';
import { compress, shift } from './rotations.ts';

/** Every file begins with this line. */
const HEAD = '#[Histogram log format version 1.3]\n';

// Everything of a line but its timestamp. Wide lines differ in nothing else, and are longer than what a look compares.
const NARROW_END = lineEnd([1]);
const WIDE_END = lineEnd(Array.from({ length: 2500 }, (_, n) => n * 371));

function lineEnd(values: readonly number[]): string {
  return intervalLine({ at: 0, values }).slice('0.000'.length);
}

/** What a writer puts into a file: its head, and lines after it. */
interface Text {
  readonly hasHead: boolean;
  readonly lines: number;
  /** Whether the lines are wide. */
  readonly isWide: boolean;
}

/** What happens between two looks, or a look. */
export type Step =
  | { readonly kind: 'look' }
  | { readonly kind: 'append'; readonly text: Text }
  | { readonly kind: 'rename' | 'copytruncate'; readonly times: number; readonly text: Text }
  | { readonly kind: 'compress'; readonly index: number }
  | { readonly kind: 'truncate' | 'remove'; readonly text: Text };

const texts: fc.Arbitrary<Text> = fc.record({
  hasHead: fc.constant(true),
  lines: fc.oneof(
    { weight: 4, arbitrary: fc.constant(0) },
    { weight: 8, arbitrary: fc.integer({ min: 1, max: 4 }) },
    // More than is compared byte for byte.
    { weight: 1, arbitrary: fc.integer({ min: 700, max: 900 }) },
  ),
  isWide: fc.boolean(),
});

/** Rotations that lose nothing. A head alone, and two rotations between two looks, are frequent. */
const keepingSteps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Step>({ kind: 'look' }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('append' as const), text: texts }) },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constantFrom('rename' as const, 'copytruncate' as const),
      times: fc.constantFrom(1, 1, 2, 3),
      text: texts,
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('compress' as const), index: fc.nat(12) }) },
);

/** Some of them lose lines that were not read. */
const losingSteps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: keepingSteps },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom('truncate' as const, 'remove' as const), text: texts }),
  },
);

/** The steps of one log. */
export const keeping: fc.Arbitrary<Step[]> = fc.array(keepingSteps, { minLength: 10, maxLength: 40 });
export const losing: fc.Arbitrary<Step[]> = fc.array(losingSteps, { minLength: 10, maxLength: 40 });

/** A log whose files begin alike, with the lines that were read of it. */
export class ChaoticLog {
  readonly read: number[] = [];
  readonly notes: string[] = [];
  rotations = 0;
  readonly written: number[] = [];
  #lost = 0;
  readonly #path = join(newDirectory(), 'service.hlog');
  readonly #follower: Follower;

  constructor(follow: (path: string, take: (entry: LogEntry | FollowNote) => void) => Follower) {
    writeFileSync(this.#path, HEAD);
    this.#follower = follow(this.#path, (entry) => {
      if (entry.kind === 'interval') this.read.push(entry.timestampSec);
      else if (!('lineNumber' in entry)) this.notes.push(entry.kind);
    });
  }

  async run(steps: readonly Step[]): Promise<void> {
    await this.#look();
    for (const step of steps) await this.#take(step);
    await this.#look();
    await this.#follower.end();
  }

  async #look(): Promise<void> {
    await this.#follower.look(() => new Set(this.read).size >= this.written.length - this.#lost);
  }

  async #take(step: Step): Promise<void> {
    switch (step.kind) {
      case 'look':
        return this.#look();
      case 'append':
        return this.#write({ ...step.text, hasHead: false });
      case 'compress': {
        const plain = readdirSync(dirname(this.#path)).filter((name) => /hlog\.\d+$/.test(name));
        const name = plain.sort()[step.index];
        if (name !== undefined) compress(join(dirname(this.#path), name));
        return;
      }
      case 'truncate': {
        // Until a line was read, nobody knows that others were written and removed.
        this.#write({ hasHead: false, lines: 1, isWide: false });
        await this.#look();
        this.#write({ ...step.text, hasHead: false });
        this.#lost += step.text.lines;
        truncateSync(this.#path);
        return this.#write(step.text);
      }
      case 'remove': {
        this.#write({ hasHead: false, lines: 1, isWide: false });
        await this.#look();
        // A rotation that keeps one file, four times. That file shows that others are missing, because it has a line.
        for (const lines of [1, step.text.lines, 1, 0]) {
          renameSync(this.#path, `${this.#path}.1`);
          this.#write({ ...step.text, lines });
        }
        this.#lost += 1 + step.text.lines;
        return;
      }
      default:
        for (let n = 0; n < step.times; n++) {
          this.rotations++;
          shift(this.#path);
          if (step.kind === 'rename') renameSync(this.#path, `${this.#path}.1`);
          else {
            copyFileSync(this.#path, `${this.#path}.1`);
            truncateSync(this.#path);
          }
          this.#write(step.text);
        }
    }
  }

  #write({ hasHead, lines, isWide }: Text): void {
    let text = hasHead ? HEAD : '';
    for (let n = 0; n < lines; n++) {
      const at = 100_000 + this.written.length;
      this.written.push(at);
      text += `${at}.000${isWide ? WIDE_END : NARROW_END}`;
    }
    appendFileSync(this.#path, text);
  }
}

/** Looks at a log. */
interface Follower {
  look(hasAll: () => boolean): Promise<void>;
  end(): Promise<void>;
}

type Take = (entry: LogEntry | FollowNote) => void;

/** Follows a log all the time. A look is over when all lines have come, or none for long. */
export function followLive(path: string, take: Take): Follower {
  return followEntries((finishSignal) => followLog(path, { pollMs: 2, finishSignal }), take);
}

/** Follows the bytes of a log all the time, and parses them as one text. */
export function followText(path: string, take: Take): Follower {
  return followEntries(async function* (signal) {
    const parser = new LogParser({ maxMalformed: 0, maxLineBytes: 2 ** 20, time: 'java' });
    for await (const entry of followBytes(path, { pollMs: 2, signal })) {
      if (entry.kind === 'bytes') yield* parser.push(Buffer.from(entry.bytes));
      else yield entry;
    }
  }, take);
}

function followEntries(
  entriesUntil: (signal: AbortSignal) => AsyncIterable<LogEntry | FollowNote>,
  take: Take,
): Follower {
  const ending = new AbortController();
  let entries = 0;
  const following = (async () => {
    for await (const entry of entriesUntil(ending.signal)) {
      entries++;
      take(entry);
    }
  })();
  return {
    async look(hasAll) {
      while (entries === 0) await sleep(1);
      let [seen, idleMs] = [entries, 0];
      while (!hasAll() && idleMs < 6000) {
        await sleep(2);
        idleMs = entries > seen ? 0 : idleMs + 2;
        seen = entries;
      }
    },
    async end() {
      ending.abort();
      await following;
    },
  };
}

/** Follows a log for one look at a time, with a memory from look to look. */
export function followAgain(path: string, take: Take): Follower {
  const memory = new FollowMemory();
  const finish = new AbortController();
  finish.abort();
  return {
    async look() {
      for await (const entry of followLog(path, { memory, finishSignal: finish.signal })) take(entry);
    },
    async end() {},
  };
}
