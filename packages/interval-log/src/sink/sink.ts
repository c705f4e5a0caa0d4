import type { EventEmitter } from 'node:events';
import { hostname } from 'node:os';
import type { HdrscopeError } from '@hdrscope/core';
import { Duties, endsWithin, notify, Rounds } from '@hdrscope/kit';
import type { Clock, Registry, Snapshot } from '@hdrscope/registry';
import { SHARED_GATHER_MS } from '@hdrscope/registry/internal';
import { writeError } from '../errors.ts';
import {
  FORMAT_VERSION_LINE,
  formatBaseTime,
  formatComment,
  formatStartTime,
  LEGEND_LINE,
} from '../writer/format.ts';
import { Archive } from './archive.ts';
import { type Block, blockOf, FamilyTags, hasIncrease } from './block.ts';
import type { Files, lockPath } from './files.ts';
import type { Duty, IntervalLogHealth, SinkDuties } from './health.ts';
import type { IntervalLogSettings } from './options.ts';
import { RotatingLog } from './rotating-log.ts';
import { type Delay, startTicker } from './ticker.ts';

/** The environment of a sink. Tests replace it. */
export interface SinkRuntime {
  readonly clock: Clock;
  readonly delay: Delay;
  readonly files: Files;
  /** The process, which emits signals. */
  readonly signals: Pick<EventEmitter, 'on' | 'off'>;
  readonly lock: typeof lockPath;
}

/** The outcome of a cycle: whether its interval was written, and whether the file was rotated. */
interface Outcome {
  readonly isWritten: boolean;
  readonly isRotated: boolean;
}

const NOTHING: Outcome = { isWritten: false, isRotated: false };

// File systems allocate blocks of this size, so a smaller probe would not show whether there is room.
const LEAST_PROBE_BYTES = 4096;

/** Writes a registry to an interval log, interval by interval. Made by `openIntervalLog`. */
export class IntervalLogSink {
  readonly #registry: Registry;
  readonly #settings: IntervalLogSettings;
  readonly #runtime: SinkRuntime;
  readonly #unlock: () => Promise<void>;
  readonly #duties: SinkDuties;
  readonly #archive: Archive;
  readonly #log: RotatingLog;
  readonly #tags = new FamilyTags();
  readonly #rounds = new Rounds<Outcome>();
  /** The log has every count of this snapshot. */
  #written: Snapshot;
  #writtenUntilMs: number;
  #writtenUntilMonotonicMs: number;
  #baseMs: number;
  #isFirst: boolean;
  #closing: Promise<void> | undefined;
  #isClosing = false;
  #isClosed = false;
  #stopTicker: () => void = () => {};
  readonly #counts = { bytes: 0, intervals: 0, lines: 0, failingSources: 0 };
  #lastBlockBytes = 0;

  /** @internal */
  constructor(
    registry: Registry,
    settings: IntervalLogSettings,
    runtime: SinkRuntime,
    unlock: () => Promise<void>,
  ) {
    const { path, rotation, since } = settings;
    const { clock, files } = runtime;
    this.#registry = registry;
    this.#settings = settings;
    this.#runtime = runtime;
    this.#unlock = unlock;
    this.#duties = new Duties(settings);
    this.#archive = new Archive(path, rotation, files, (error) => this.#report('archive', error));
    this.#log = new RotatingLog({
      path,
      settings,
      headerOf: (block) => this.#headerOf(block),
      files,
      clock,
      duties: this.#duties,
      archive: this.#archive,
    });
    this.#written = since ?? registry.emptySnapshot();
    this.#isFirst = since === undefined;
    this.#writtenUntilMs = since?.timeMs ?? clock.nowMs();
    this.#writtenUntilMonotonicMs = clock.monotonicMs();
    this.#baseMs = this.#writtenUntilMs;
  }

  /** The work so far, as a frozen copy that later work does not change. */
  get health(): IntervalLogHealth {
    return Object.freeze({
      path: this.#settings.path,
      isClosed: this.#isClosed,
      isFailing: this.#duties.isFailing,
      failures: this.#duties.failureCount,
      lastError: this.#duties.lastError,
      writtenUntilMs: this.#writtenUntilMs,
      fileBytes: this.#log.sizeBytes,
      rotations: this.#log.rotationCount,
      skippedTicks: this.#rounds.skippedTicks,
      ...this.#counts,
    });
  }

  /** @internal Opens the file and starts the ticker. Called by `openIntervalLog`. */
  async start(): Promise<void> {
    const { intervalMs, aligned, rotation } = this.#settings;
    const { clock, delay, signals } = this.#runtime;
    await this.#log.open();
    if (this.#log.isRotationDue(clock.nowMs())) await this.#log.rotate();
    if (rotation.gzip || rotation.keep < Number.POSITIVE_INFINITY) this.#archive.maintain();
    const nowMs = aligned ? clock.nowMs : clock.monotonicMs;
    const originMs = aligned ? 0 : nowMs();
    this.#stopTicker = startTicker(() => this.#rounds.tick(this.#cycle), {
      intervalMs,
      originMs,
      nowMs,
      delay,
    });
    if (rotation.onSignal !== undefined) signals.on(rotation.onSignal, this.#onSignal);
  }

  /** Writes all counts up to now. Resolves to whether they are in the log. Never rejects. */
  async flush(): Promise<boolean> {
    return (await this.#nextCycle()).isWritten;
  }

  /**
   * Writes all counts up to now and then starts a new file. Resolves to whether it did: an empty file is not rotated. A
   * failed rotation is tried again at every interval. Never rejects.
   */
  async rotate(): Promise<boolean> {
    this.#log.requestRotation();
    return (await this.#nextCycle()).isRotated;
  }

  /**
   * Writes the last interval, waits for a running compression, and closes the file. After `closeTimeoutMs` it gives up:
   * an interval that was not written is reported to `onError`, and a compression continues when the log is next opened.
   * Never rejects. A second call returns the promise of the first.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#isClosing = true;
    const { closeTimeoutMs, path, rotation } = this.#settings;
    const endMs = performance.now() + closeTimeoutMs;
    const left = (): number => endMs - performance.now();
    this.#stopTicker();
    if (rotation.onSignal !== undefined) this.#runtime.signals.off(rotation.onSignal, this.#onSignal);
    const last = this.#rounds.next(this.#cycle);
    if (!(await endsWithin(last, left()))) {
      const late = new Error(`the last interval was not written within ${closeTimeoutMs} ms`);
      this.#duties.failed('write', writeError('write', path, late));
    }
    this.#isClosed = true;
    if (!(await endsWithin(this.#archive.idle(), left()))) await this.#archive.abandon();
    // A hanging write must not delay `close` beyond its timeout.
    await endsWithin(this.#log.close(), left());
    await this.#unlock();
  }

  readonly #onSignal = (): void => {
    this.rotate();
  };

  async #nextCycle(): Promise<Outcome> {
    return this.#closing === undefined ? this.#rounds.next(this.#cycle) : NOTHING;
  }

  readonly #cycle = async (): Promise<Outcome> => {
    if (!(await this.#write())) return NOTHING;
    const isDue = this.#log.isRotationDue(this.#writtenUntilMs);
    return { isWritten: true, isRotated: isDue && (await this.#log.rotate()) };
  };

  async #write(): Promise<boolean> {
    const { clock } = this.#runtime;
    try {
      // A snapshot that cannot be written is useless, and it costs more the longer the failure lasts.
      if (this.#duties.isFailingAt('write')) await this.#log.probe(this.#probeBytes);
      const snapshot = await this.#registry.gather({
        timeoutMs: this.#settings.gatherTimeoutMs,
        // The last interval has everything.
        maxAgeMs: this.#isClosing ? 0 : SHARED_GATHER_MS,
      });
      const monotonicMs = clock.monotonicMs();
      this.#counts.failingSources = snapshot.errors.length;
      if (this.#isClosed) return false;
      const difference = snapshot.since(this.#written);
      if (hasIncrease(difference)) await this.#writeBlock(difference, monotonicMs);
      this.#written = snapshot;
      this.#writtenUntilMs = snapshot.timeMs;
      this.#writtenUntilMonotonicMs = monotonicMs;
      this.#report('write', undefined);
      notify(() => this.#settings.onWritten(snapshot));
      return true;
    } catch (error) {
      this.#report('write', writeError('write', this.#settings.path, error));
      return false;
    }
  }

  async #writeBlock(difference: Snapshot, monotonicMs: number): Promise<void> {
    const endMs = difference.timeMs;
    // After the wall clock was set back, only the monotonic clock knows the length of the interval.
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
    if (error === undefined) this.#duties.succeeded(duty);
    else this.#duties.failed(duty, error);
  }
}
