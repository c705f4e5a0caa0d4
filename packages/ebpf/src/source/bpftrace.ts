import { HdrscopeError, mustBe } from '@hdrscope/core';
import type { Attributes } from '@hdrscope/registry';
import { type BpftraceRun, startRun, streamRun } from './bpftrace-run.ts';
import type { Frame, KernelSource } from './source.ts';

/** Exactly one of `script`, `file` and `stream` is needed. */
export interface BpftraceOptions {
  /** A program: `kprobe:vfs_read { @bytes = hist(arg2); }`. It need not print anything. */
  readonly script?: string;
  /** The path of a program. */
  readonly file?: string;
  /** What `bpftrace -f json` prints, where that was started by somebody else: `process.stdin`. */
  readonly stream?: NodeJS.ReadableStream;
  /**
   * The names of a map's keys: `{ '@bytes': ['comm', 'cpu'] }`. bpftrace joins keys by commas; what is too much belongs
   * to the first of them. Without names the whole of it is the attribute `key`.
   */
  readonly keys?: Readonly<Record<string, readonly string[]>>;
  /**
   * How often bpftrace is asked to print its maps, which is how old a reading may be. 0: never, where the script prints
   * them at intervals of its own. Of no account with `stream`. At least 250: it answers when it was left alone for 100 ms.
   * @default 1000
   */
  readonly printEveryMs?: number;
  /** How long attaching the probes may take; for large scripts it is seconds. @default 10000 */
  readonly startTimeoutMs?: number;
  /** How long after its end a script is started again, by the next reading. @default 10000 */
  readonly restartAfterMs?: number;
  /** The program that is run. @default 'bpftrace' */
  readonly program?: string;
}

/** A script that is read. */
export interface BpftraceSource extends KernelSource {
  read(): Promise<Frame>;
  /** Asks it to end, and kills it after two seconds. */
  close(): Promise<void>;
  /** Events that did not reach bpftrace since the source was made. Maps lose none of theirs by that. */
  readonly lostEvents: number;
}

/**
 * The histograms of a bpftrace script: all its `hist()` and `lhist()` variables, whatever their keys. Slots are learnt from
 * what is printed. A script should neither print parts of a map (`print(@h, 5)`) nor clear it: bpftrace may lose a `clear()`,
 * and differences are taken here.
 *
 * bpftrace up to 0.17 counts all from 2^31 on in one slot, which is given as open upwards: count microseconds, not
 * nanoseconds.
 *
 * A script that has ended is read once more, then reading fails with its last words, and then it is started again.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION`
 * @example
 * ```ts
 * import { PassThrough } from 'node:stream';
 * import { bpftrace } from '@hdrscope/ebpf';
 *
 * const stream = new PassThrough(); // process.stdin, or the output of a process
 * stream.end('{"type": "hist", "data": {"@us": {"read": [{"min": 4, "max": 7, "count": 9}]}}}\n');
 *
 * const source = bpftrace({ stream, keys: { '@us': ['call'] } });
 * const [histogram] = (await source.read()).histograms;
 * histogram?.attributes; //=> { call: 'read' }
 * await source.close();
 * ```
 */
export function bpftrace(options: BpftraceOptions): BpftraceSource {
  const { script, file, stream } = options;
  if ([script, file, stream].filter((given) => given !== undefined).length !== 1) {
    throw mustBe('ERR_INVALID_OPTION', 'options', 'exactly one of script, file and stream', options);
  }
  const { printEveryMs = SHORTEST_PRINT_MS } = options;
  if (printEveryMs !== 0 && !(printEveryMs >= SHORTEST_PRINT_MS && printEveryMs < 2 ** 31)) {
    const allowed = `0, or milliseconds from ${SHORTEST_PRINT_MS} to 2^31 - 1`;
    throw mustBe('ERR_INVALID_OPTION', 'printEveryMs', allowed, printEveryMs);
  }
  for (const [name, least] of [
    ['startTimeoutMs', 1],
    ['restartAfterMs', 0],
  ] as const) {
    const value = options[name] ?? least;
    // Timers have 31 bits.
    if (!(value >= least && value < 2 ** 31)) {
      throw mustBe('ERR_INVALID_OPTION', name, `milliseconds from ${least} to 2^31 - 1`, value);
    }
  }
  return new Source(options);
}

/** Source: bpftrace 0.17, `BPFtrace::poll_perf_events`: a signal starts its wait of 100 ms anew. */
const SHORTEST_PRINT_MS = 250;

class Source implements BpftraceSource {
  readonly name: string;
  readonly #options: BpftraceOptions;
  #run: BpftraceRun | undefined;
  #runs = 0;
  #lostEvents = 0;
  #isClosed = false;

  constructor(options: BpftraceOptions) {
    const { file, stream } = options;
    this.#options = options;
    if (stream !== undefined) this.name = 'the output of bpftrace';
    else this.name = file === undefined ? 'the script of bpftrace' : `the script ${file} of bpftrace`;
  }

  get lostEvents(): number {
    return this.#lostEvents + (this.#run?.lostEvents ?? 0);
  }

  async read(): Promise<Frame> {
    if (this.#isClosed) throw new HdrscopeError('ERR_KERNEL', `${this.name} is closed`);
    const run = this.#current();
    await run.started;
    const refused = run.takeError();
    if (refused !== undefined) throw refused;
    return {
      generation: `${this.#runs}.${run.state.layouts}`,
      cpuCount: 1,
      counterBits: 64,
      histograms: run.state.histograms((variable, key) => this.#attributesOf(variable, key)),
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#run?.close();
  }

  #current(): BpftraceRun {
    const { script, file, stream, restartAfterMs = 10_000 } = this.#options;
    const ended = this.#run?.endedMs;
    const isOver =
      ended !== undefined &&
      this.#run?.isToldOf === true &&
      stream === undefined &&
      performance.now() - ended >= restartAfterMs;
    if (this.#run !== undefined && !isOver) return this.#run;
    this.#lostEvents = this.lostEvents;
    this.#runs++;
    const { printEveryMs = 1000, startTimeoutMs = 10_000, program = 'bpftrace' } = this.#options;
    this.#run =
      stream === undefined
        ? startRun({
            program,
            args: ['-f', 'json', ...(file === undefined ? ['-e', script ?? ''] : [file])],
            printEveryMs,
            startTimeoutMs,
          })
        : streamRun(stream, startTimeoutMs);
    return this.#run;
  }

  #attributesOf(variable: string, key: string | undefined): Attributes {
    if (key === undefined) return {};
    const names = this.#options.keys?.[variable];
    if (names === undefined) return { key };
    const parts = key.split(',');
    const surplus = Math.max(0, parts.length - names.length);
    const values = [parts.slice(0, surplus + 1).join(','), ...parts.slice(surplus + 1)];
    return Object.fromEntries(names.slice(0, values.length).map((name, at) => [name, values[at]]));
  }
}
