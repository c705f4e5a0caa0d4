import {
  custom,
  filledText,
  having,
  milliseconds,
  mustBe,
  type OptionRules,
  object,
  optional,
  readOptions,
  type Settings,
  text,
  withDefault,
} from '@hdrscope/core/internal';
import type { Attributes } from '@hdrscope/registry';
import { kernelError } from '../errors.ts';
import { type BpftraceRun, startRun, streamRun } from './bpftrace-run.ts';
import type { Frame, KernelSource } from './source.ts';

/** Which script is read, and how. Exactly one of `script`, `file` and `stream` chooses the script. */
export interface BpftraceOptions {
  /** Text of a script, such as `kprobe:vfs_read { @bytes = hist(arg2); }`. The script need not print its maps. */
  readonly script?: string;
  /** Path of a script. */
  readonly file?: string;
  /** Output of a `bpftrace -f json` that another program has started, such as `process.stdin`. */
  readonly stream?: NodeJS.ReadableStream;
  /**
   * Names of the keys of a map: `{ '@bytes': ['comm', 'cpu'] }`. bpftrace joins keys by commas, and surplus commas belong
   * to the first key. @default the joined keys are the attribute `key`
   */
  readonly keys?: Readonly<Record<string, readonly string[]>>;
  /**
   * Time between two requests to print the maps, in milliseconds: the greatest age of a frame. It is at least 250, because
   * bpftrace answers after 100 ms without a signal. With 0 there are no requests, for a script that prints its maps itself.
   * It has no effect with `stream`. @default 1000
   */
  readonly printEveryMs?: number;
  /** Longest time until the probes are attached, in milliseconds. Large scripts take seconds. @default 10000 */
  readonly startTimeoutMs?: number;
  /** Time after the end of a script until a `read` starts it again, in milliseconds. @default 10000 */
  readonly restartAfterMs?: number;
  /** Name or path of bpftrace. @default 'bpftrace' */
  readonly program?: string;
}

/** The histograms of a running script. */
export interface BpftraceSource extends KernelSource {
  /**
   * Reads the counts of the last complete output of the script, and waits for the first one.
   *
   * @throws HdrscopeError `ERR_KERNEL` when the source is closed, or the script has failed or prints nothing in time. A later call may
   *   succeed, unless the source is closed.
   */
  read(): Promise<Frame>;
  /** Asks the script to end, and kills it after two seconds. */
  close(): Promise<void>;
  /** Events that did not reach bpftrace since the source was made. Counts in maps are complete all the same. */
  readonly lostEvents: number;
}

/**
 * Reads the histograms of a bpftrace script: all its `hist()` and `lhist()` variables, with any keys. The output of the
 * script shows their slots. A script should neither print parts of a map (`print(@h, 5)`) nor clear it, because bpftrace may
 * lose a `clear()`, and this package computes differences itself.
 *
 * bpftrace up to 0.17 counts all integers from 2^31 on in one slot, which is open upwards here. So count microseconds, not
 * nanoseconds.
 *
 * After the end of a script, one `read` returns its last counts. Then `read` fails with the last messages of the script, and
 * a `read` after `restartAfterMs` starts it again.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist or is outside its range, or not exactly one
 *   option chooses the script. `read` throws `ERR_KERNEL` when the script fails, has ended or prints something else.
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
  const settings = readOptions(options, BPFTRACE);
  const { script, file, stream } = settings;
  if ([script, file, stream].filter((given) => given !== undefined).length !== 1) {
    throw mustBe('ERR_INVALID_OPTION', 'options', 'exactly one of script, file and stream', options);
  }
  return new Source(settings);
}

/** Each signal restarts a wait of 100 ms in bpftrace. Source: bpftrace 0.17, `BPFtrace::poll_perf_events`. */
const SHORTEST_PRINT_MS = 250;

const BPFTRACE = {
  name: 'bpftrace',
  rules: {
    script: optional(text),
    file: optional(text),
    stream: optional(having<NodeJS.ReadableStream>('a stream of Node.js', 'on', 'pipe')),
    keys: withDefault(object(), {}),
    printEveryMs: withDefault(
      custom<number>(
        `0, or milliseconds from ${SHORTEST_PRINT_MS} to 2^31 - 1`,
        (ms) => ms === 0 || milliseconds({ from: SHORTEST_PRINT_MS }).accepts(ms),
      ),
      1000,
    ),
    startTimeoutMs: withDefault(milliseconds({ from: 1 }), 10_000),
    restartAfterMs: withDefault(milliseconds({ from: 0 }), 10_000),
    program: withDefault(filledText(), 'bpftrace'),
  } satisfies OptionRules<BpftraceOptions>,
  call: "bpftrace({ file: './latency.bt' })",
};

type BpftraceSettings = Settings<BpftraceOptions, 'script' | 'file' | 'stream'>;

class Source implements BpftraceSource {
  readonly name: string;
  readonly #settings: BpftraceSettings;
  #run: BpftraceRun | undefined;
  #runs = 0;
  #lostEvents = 0;
  #isClosed = false;

  constructor(settings: BpftraceSettings) {
    const { file, stream } = settings;
    this.#settings = settings;
    if (stream !== undefined) this.name = 'the output of bpftrace';
    else this.name = file === undefined ? 'the script of bpftrace' : `the script ${file} of bpftrace`;
  }

  get lostEvents(): number {
    return this.#lostEvents + (this.#run?.lostEvents ?? 0);
  }

  async read(): Promise<Frame> {
    if (this.#isClosed) throw kernelError(`${this.name} is closed`);
    const run = this.#current();
    const { file } = this.#settings;
    await run.started;
    const error = run.takeError();
    if (error !== undefined) throw error;
    return {
      generation: `${this.#runs}.${run.state.layoutChanges}`,
      cpuCount: 1,
      counterBits: 64,
      isPrinted: true,
      origin: file === undefined ? 'a map of a bpftrace script' : `a map of the bpftrace script ${file}`,
      histograms: run.state.histograms((variable, key) => this.#attributesOf(variable, key)),
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#run?.close();
  }

  #current(): BpftraceRun {
    const { script, file, stream, restartAfterMs, ...how } = this.#settings;
    const ended = this.#run?.endedMs;
    const isOver =
      ended !== undefined &&
      this.#run?.isEndReported === true &&
      stream === undefined &&
      performance.now() - ended >= restartAfterMs;
    if (this.#run !== undefined && !isOver) return this.#run;
    this.#lostEvents = this.lostEvents;
    this.#runs++;
    this.#run =
      stream === undefined
        ? startRun({ ...how, args: ['-f', 'json', ...(file === undefined ? ['-e', script ?? ''] : [file])] })
        : streamRun(stream, how.startTimeoutMs);
    return this.#run;
  }

  #attributesOf(variable: string, key: string | undefined): Attributes {
    if (key === undefined) return {};
    const names = this.#settings.keys[variable];
    if (names === undefined) return { key };
    const parts = key.split(',');
    const surplus = Math.max(0, parts.length - names.length);
    const values = [parts.slice(0, surplus + 1).join(','), ...parts.slice(surplus + 1)];
    return Object.fromEntries(names.slice(0, values.length).map((name, at) => [name, values[at]]));
  }
}
