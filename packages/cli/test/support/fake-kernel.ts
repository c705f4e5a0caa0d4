import { type Frame, framesSource, type KernelLayout, queueDepthLayout } from '@hdrscope/ebpf';
import type { VisibleMap } from '@hdrscope/ebpf/internal';
import { readArguments } from '../../src/arguments.ts';
import { ExitCode, type Io, type Output, type Termination } from '../../src/command.ts';
import type { Kernel } from '../../src/commands/ebpf/map.ts';
import type { DefinedCommand } from '../../src/define-command.ts';
import { cleanIo } from '../../src/screen/clean-output.ts';
import type { Ran } from './fake-io.ts';

/** A visible map of run-queue depths. */
export const QUEUE_HIST: VisibleMap = {
  id: 42,
  type: 'percpu_array',
  name: 'queue_hist',
  keySize: 4,
  valueSize: 8,
  maxEntries: 8,
  programs: [],
  pins: ['/sys/fs/bpf/queue_hist'],
  known: { layout: queueDepthLayout(), shape: {}, ground: 'biolatency.yaml has it' },
  guesses: [],
  why: '',
};

/** A frame with one histogram. */
export function frameOf(
  counts: readonly number[],
  {
    generation = 'map 42',
    layout = queueDepthLayout(),
    sums,
    name = 'queue_hist',
  }: { generation?: string; layout?: KernelLayout; sums?: readonly number[]; name?: string } = {},
): Frame {
  const cpuCount = counts.length / layout.slots.slotCount;
  const histogram = {
    name,
    attributes: {},
    layout,
    counts: Float64Array.from(counts),
    sums: sums && Float64Array.from(sums),
  };
  return { generation, cpuCount, counterBits: 64, histograms: [histogram] };
}

/** A kernel with the answers of a test. A question without an answer fails the test. */
export function fakeKernel(
  answers: Partial<Kernel> & { readonly frames?: readonly (Frame | Error)[] },
): Kernel {
  const unexpected = (): never => {
    throw new Error('the test did not expect that question');
  };
  const { frames, ...kernel } = answers;
  return {
    list: async () => ({ maps: [QUEUE_HIST], incomplete: undefined }),
    open: frames === undefined ? unexpected : () => framesSource(frames),
    newestMapId: async () => QUEUE_HIST.id,
    mapIds: async () => [QUEUE_HIST.id],
    openByTool: unexpected,
    examine: unexpected,
    openProgram: unexpected,
    measureCost: unexpected,
    ...kernel,
  };
}

interface RunOptions {
  readonly onOutput?: (text: string, end: (reason: Termination) => void) => void;
  /** Gets each text on standard error. */
  readonly onNote?: (text: string) => void;
  /** Ends the command. @default `onOutput` ends it */
  readonly signal?: AbortSignal;
  /** @default false */
  readonly isTerminal?: boolean;
  /** The width of the terminal. @default no terminal */
  readonly columns?: number;
  readonly rows?: number;
  readonly environment?: Readonly<Record<string, string>>;
  /** @default the time stands still */
  readonly monotonicMs?: () => number;
}

/** Runs a command with a kernel. Errors of the command are thrown. */
export async function runWith(
  command: DefinedCommand<Kernel>,
  args: readonly string[],
  kernel: Kernel,
  {
    onOutput,
    onNote,
    signal,
    isTerminal = false,
    columns,
    rows,
    environment = {},
    monotonicMs = () => 0,
  }: RunOptions = {},
): Promise<Ran> {
  const printed = { stdout: '', stderr: '' };
  const ending = new AbortController();
  const output = (name: keyof typeof printed): Output => ({
    isTerminal,
    columns,
    rows,
    write: async (text) => {
      printed[name] += text;
      if (name === 'stdout') onOutput?.(text, (reason) => ending.abort(reason));
      else onNote?.(text);
    },
  });
  const io: Io = cleanIo({
    stdout: output('stdout'),
    stderr: output('stderr'),
    stdin: (async function* () {})(),
    environment,
    signal: signal ?? ending.signal,
    monotonicMs,
  });
  const given = await readArguments(command.parser(), args, io);
  const exitCode = given === undefined ? ExitCode.done : await command.run(given, io, kernel);
  return { exitCode, ...printed };
}
