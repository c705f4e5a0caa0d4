import type { EventEmitter } from 'node:events';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { HdrscopeError } from '@hdrscope/core';
import { type Clock, EMPTY_SNAPSHOT, type Registry, type Snapshot, systemClock } from '@hdrscope/registry';
import {
  FORMAT_VERSION_LINE,
  formatBaseTime,
  formatComment,
  formatStartTime,
  LEGEND_LINE,
} from '../writer/format.ts';
import { Archive } from './archive.ts';
import { type Block, blockOf, hasIncrease } from './block.ts';
import { FamilyTags } from './family-tags.ts';
import { type Files, isMissing, realFiles, writeError } from './files.ts';
import { type Duty, Health } from './health.ts';
import { lockPath } from './lock.ts';
import { type SinkOptions, type SinkSettings, settingsOf } from './options.ts';
import { RotatingLog } from './rotating-log.ts';
import { type Delay, realDelay, startTicker } from './ticker.ts';

/** What a sink has done so far: for a health page, or an alert. */
export interface SinkState {
  /** Of the file that is written, with symbolic links resolved. */
  readonly path: string;
  readonly isClosed: boolean;
  /** Whether the last try to write, to rotate or to look after rotated logs has failed. */
  readonly isFailing: boolean;
  /** How often any of those has failed, and why it did so last, even if it works again. */
  readonly failures: number;
  readonly lastError: HdrscopeError | undefined;
  /** All that was counted before is in the log, in milliseconds since 1970. */
  readonly writtenUntilMs: number;
  /** Of the file as it is now. */
  readonly fileBytes: number;
  /** Of all files. */
  readonly bytes: number;
  /** How many intervals had something to write. */
  readonly intervals: number;
  /** How many lines of histograms. */
  readonly lines: number;
  readonly rotations: number;
  /** How many intervals were left out because the one before took too long. */
  readonly skippedTicks: number;
  /** How many sources have failed when they were last asked; what they count then comes later. */
  readonly failingSources: number;
}

/** What a sink gets from its surroundings: tests have their own. */
export interface SinkRuntime {
  readonly clock: Clock;
  readonly delay: Delay;
  readonly files: Files;
  /** The process, or what stands for it. */
  readonly signals: Pick<EventEmitter, 'on' | 'off'>;
  readonly lock: typeof lockPath;
}

const NODE: SinkRuntime = {
  clock: systemClock,
  delay: realDelay,
  files: realFiles,
  signals: process,
  lock: lockPath,
};

/**
 * Writes a registry to an interval log: at every interval one line for each series that has counted something, in
 * nanoseconds or whatever else its family counts in, with a tag that tells family and attributes. Rejects when the file
 * cannot be written at all, is no interval log, or another sink has it open.
 *
 * After that nothing is lost and nothing is written twice while the process lives: an interval that cannot be written
 * is part of the next one that can. A process that is killed leaves a log that is whole up to its last line. The sink
 * keeps no process alive, so close it before the process ends.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION`, `ERR_LOG_WRITE`.
 * @example
 * ```ts
 * import { mkdtemp } from 'node:fs/promises';
 * import { tmpdir } from 'node:os';
 * import { join } from 'node:path';
 * import { openIntervalLog, readIntervals } from '@hdrscope/interval-log';
 * import { createRegistry } from '@hdrscope/registry';
 *
 * const registry = createRegistry();
 * const requests = registry.histogram({ name: 'http.duration', unit: 's' });
 * const path = join(await mkdtemp(join(tmpdir(), 'hdrscope-')), 'app.hlog');
 * const sink = await openIntervalLog(registry, { path, rotation: { everyMs: 86_400_000, keep: 14, gzip: true } });
 * requests.with({ method: 'GET' }).record(0.25);
 * await sink.close();
 *
 * for await (const interval of readIntervals(path)) {
 *   [interval.tag, interval.writtenMax]; //=> ['http.duration?method=GET', 250.61]
 * }
 * ```
 */
export function openIntervalLog(registry: Registry, options: SinkOptions): Promise<IntervalLogSink> {
  return openSink(registry, options, NODE);
}

/** As `openIntervalLog`, in other surroundings. */
export async function openSink(
  registry: Registry,
  options: SinkOptions,
  runtime: SinkRuntime,
): Promise<IntervalLogSink> {
  const settings = settingsOf(options);
  const path = await resolved(runtime.files, settings.path);
  const unlock = await runtime.lock(path);
  const sink = new IntervalLogSink(registry, { ...settings, path }, runtime, unlock);
  try {
    await sink.start();
    return sink;
  } catch (error) {
    await unlock();
    throw error;
  }
}

/** One name for a file, however it is reached. */
async function resolved(files: Files, path: string): Promise<string> {
  try {
    return await files.realpath(path).catch(async (error: unknown) => {
      if (!isMissing(error)) throw error;
      return join(await files.realpath(dirname(path)), basename(path));
    });
  } catch (error) {
    throw writeError('open', path, error);
  }
}

/** What a cycle came to. */
interface Outcome {
  readonly isWritten: boolean;
  readonly isRotated: boolean;
}

const NOTHING: Outcome = { isWritten: false, isRotated: false };

// What a file system gives at once: less would not tell whether there is room.
const LEAST_PROBE_BYTES = 4096;

/** A registry that is being written to an interval log. Made by `openIntervalLog`. */
export class IntervalLogSink {
  readonly #registry: Registry;
  readonly #settings: SinkSettings;
  readonly #runtime: SinkRuntime;
  readonly #unlock: () => Promise<void>;
  readonly #health: Health;
  readonly #archive: Archive;
  readonly #log: RotatingLog;
  readonly #tags = new FamilyTags();
  /** All that it has counted is in the log. */
  #written: Snapshot;
  #writtenUntilMs: number;
  #writtenUntilMonotonicMs: number;
  #baseMs: number;
  #isFirst: boolean;
  #running: Promise<Outcome> | undefined;
  /** Begins when the one that runs has ended. */
  #next: Promise<Outcome> | undefined;
  #closing: Promise<void> | undefined;
  #isClosed = false;
  #stopTicker: () => void = () => {};
  readonly #counts = { bytes: 0, intervals: 0, lines: 0, skippedTicks: 0, failingSources: 0 };
  #lastBlockBytes = 0;

  constructor(registry: Registry, settings: SinkSettings, runtime: SinkRuntime, unlock: () => Promise<void>) {
    const { path, rotation, since } = settings;
    const { clock, files } = runtime;
    this.#registry = registry;
    this.#settings = settings;
    this.#runtime = runtime;
    this.#unlock = unlock;
    this.#health = new Health(settings);
    this.#archive = new Archive(path, rotation, files, (error) => this.#report('archive', error));
    this.#log = new RotatingLog({
      path,
      settings,
      headerOf: (block) => this.#headerOf(block),
      files,
      clock,
      health: this.#health,
      archive: this.#archive,
    });
    this.#written = since ?? EMPTY_SNAPSHOT;
    this.#isFirst = since === undefined;
    this.#writtenUntilMs = since?.timeMs ?? clock.nowMs();
    this.#writtenUntilMonotonicMs = clock.monotonicMs();
    this.#baseMs = this.#writtenUntilMs;
  }

  get state(): SinkState {
    return Object.freeze({
      path: this.#settings.path,
      isClosed: this.#isClosed,
      isFailing: this.#health.isFailing,
      failures: this.#health.failureCount,
      lastError: this.#health.lastError,
      writtenUntilMs: this.#writtenUntilMs,
      fileBytes: this.#log.sizeBytes,
      rotations: this.#log.rotationCount,
      ...this.#counts,
    });
  }

  /** Called by `openIntervalLog`. */
  async start(): Promise<void> {
    const { intervalMs, aligned, rotation } = this.#settings;
    const { clock, delay, signals } = this.#runtime;
    await this.#log.open();
    if (this.#log.isRotationDue(clock.nowMs())) await this.#log.rotate();
    if (rotation.gzip || rotation.keep < Number.POSITIVE_INFINITY) this.#archive.tend();
    const nowMs = aligned ? clock.nowMs : clock.monotonicMs;
    const originMs = aligned ? 0 : nowMs();
    this.#stopTicker = startTicker(() => this.#tick(), { intervalMs, originMs, nowMs, delay });
    if (rotation.signal !== undefined) signals.on(rotation.signal, this.#onSignal);
  }

  /** Writes what was counted until now; resolves to whether that is in the log then. Never rejects. */
  async flush(): Promise<boolean> {
    return (await this.#cycleAfterThis()).isWritten;
  }

  /**
   * Writes what was counted until now, then begins another file; resolves to whether it did, which it does not where
   * the file is empty. A rotation that fails is tried again at every interval. Never rejects.
   */
  async rotate(): Promise<boolean> {
    this.#log.askForRotation();
    return (await this.#cycleAfterThis()).isRotated;
  }

  /**
   * Writes the last interval, waits for a compression that is under way, and leaves the file alone from then on. What
   * takes longer than `closeTimeoutMs` is left undone: what was counted and not written is reported as an error, a
   * compression is taken up when the log is opened next. Never rejects; closing twice is closing once.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { closeTimeoutMs, path, rotation } = this.#settings;
    const endMs = performance.now() + closeTimeoutMs;
    const left = (): number => endMs - performance.now();
    this.#stopTicker();
    if (rotation.signal !== undefined) this.#runtime.signals.off(rotation.signal, this.#onSignal);
    const last = this.#enqueued();
    if (!(await endsWithin(last, left()))) {
      const late = new Error(`the last interval was not written within ${closeTimeoutMs} ms`);
      this.#health.failed('write', writeError('write', path, late));
    }
    this.#isClosed = true;
    if (!(await endsWithin(this.#archive.idle(), left()))) await this.#archive.abandon();
    // A write that hangs would keep the file from being closed.
    await endsWithin(this.#log.close(), Math.max(left(), 1));
    await this.#unlock();
  }

  readonly #onSignal = (): void => {
    this.rotate();
  };

  #tick(): void {
    if (this.#running === undefined && this.#next === undefined) this.#run();
    else this.#counts.skippedTicks++;
  }

  #run(): Promise<Outcome> {
    this.#running = this.#cycle().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** For whoever wants all that was counted until now: the cycle that runs may have gathered before. */
  async #cycleAfterThis(): Promise<Outcome> {
    return this.#closing === undefined ? this.#enqueued() : NOTHING;
  }

  #enqueued(): Promise<Outcome> {
    this.#next ??= (async () => {
      await this.#running;
      this.#next = undefined;
      return this.#run();
    })();
    return this.#next;
  }

  async #cycle(): Promise<Outcome> {
    if (!(await this.#write())) return NOTHING;
    const isDue = this.#log.isRotationDue(this.#writtenUntilMs);
    return { isWritten: true, isRotated: isDue && (await this.#log.rotate()) };
  }

  async #write(): Promise<boolean> {
    const { clock } = this.#runtime;
    try {
      // A snapshot is worth nothing while it cannot be written, and costs the more the longer that lasts.
      if (this.#health.isFailingAt('write')) await this.#log.probe(this.#probeBytes);
      const snapshot = await this.#registry.gather({ timeoutMs: this.#settings.gatherTimeoutMs });
      const monotonicMs = clock.monotonicMs();
      this.#counts.failingSources = snapshot.errors.length;
      if (this.#isClosed) return false;
      const difference = snapshot.since(this.#written);
      if (hasIncrease(difference)) await this.#writeBlock(difference, monotonicMs);
      this.#written = snapshot;
      this.#writtenUntilMs = snapshot.timeMs;
      this.#writtenUntilMonotonicMs = monotonicMs;
      this.#report('write', undefined);
      return true;
    } catch (error) {
      this.#report('write', writeError('write', this.#settings.path, error));
      return false;
    }
  }

  async #writeBlock(difference: Snapshot, monotonicMs: number): Promise<void> {
    const endMs = difference.timeMs;
    // A clock that was set back tells no length.
    const startMs =
      endMs >= this.#writtenUntilMs
        ? this.#writtenUntilMs
        : endMs - (monotonicMs - this.#writtenUntilMonotonicMs);
    const times = { startMs, endMs, baseMs: this.#baseMs, isFirst: this.#isFirst };
    const block = await blockOf(difference, times, this.#tags, this.#settings.level);
    this.#lastBlockBytes = block.text.length;
    if (this.#isClosed) throw new Error('the log was closed meanwhile');
    this.#counts.bytes += await this.#log.write(block);
    this.#counts.intervals++;
    this.#counts.lines += block.lineCount;
    this.#baseMs = block.baseMs;
    this.#isFirst = false;
  }

  get #probeBytes(): number {
    return Math.max(this.#lastBlockBytes, LEAST_PROBE_BYTES);
  }

  #headerOf({ earliestMs, baseMs }: Block): string {
    const { timeZone, comment } = this.#settings;
    return [
      FORMAT_VERSION_LINE,
      formatComment(`[Written by hdrscope, process ${process.pid} on ${hostname()}]`),
      comment === '' ? '' : formatComment(`[${comment}]`),
      formatStartTime(earliestMs, timeZone),
      formatBaseTime(baseMs),
      LEGEND_LINE,
    ].join('');
  }

  #report(duty: Duty, error: HdrscopeError | undefined): void {
    if (error === undefined) this.#health.worked(duty);
    else this.#health.failed(duty, error);
  }
}

/** Whether a promise that never rejects is settled in time. */
function endsWithin(promise: Promise<unknown>, timeoutMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    // Not unref'ed: whoever waits for the end has a reason to stay.
    const timer = setTimeout(() => resolve(false), Math.max(timeoutMs, 0));
    promise.then(() => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}
