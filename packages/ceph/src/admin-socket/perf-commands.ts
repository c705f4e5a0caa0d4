import type { CephFormat } from '../dump/format.ts';
import type { PerfFilter } from '../dump/loggers.ts';
import type { AdminArgument, AdminCommand, CommandArguments, CommandResult } from './commands.ts';
import {
  describeLabelled,
  describeNumbers,
  dumpLabelled,
  dumpNumbers,
  type LabelledNumbers,
  type PerfNumbers,
  unlabelled,
} from './perf-numbers.ts';

type Awaitable<Value> = Value | Promise<Value>;

/** The answers to the `perf histogram` commands. */
export interface HistogramReplies {
  /** Called for each `perf histogram schema`. */
  schema(format: CephFormat): Awaitable<CommandResult>;
  /** Called for each `perf histogram dump`. */
  dump(filter: PerfFilter, format: CephFormat): Awaitable<CommandResult>;
}

/** The answers to the perf commands of a socket. */
export interface PerfReplies {
  /** Answers `perf histogram dump` and `perf histogram schema`. @default no histograms: both commands answer `{}` */
  readonly histograms?: HistogramReplies | undefined;
  /**
   * Called for each `perf dump`, and for a `perf schema` that does not follow one within five seconds: then the schema describes what the
   * dump had. @default no numbers
   */
  readonly numbers?: (() => Awaitable<PerfNumbers>) | undefined;
  /**
   * Called for `counter dump` and `counter schema`, commands of Reef and later, as `numbers` is for `perf dump` and `perf schema`.
   * @default `numbers`, without labels
   */
  readonly labelled?: (() => Awaitable<readonly LabelledNumbers[]>) | undefined;
  /**
   * Resets the logger of this name, or all loggers for the name `all`, and returns whether there is such a logger. Every
   * client that can connect can reset. @default there is no command `perf reset`
   */
  readonly reset?: ((name: string) => Awaitable<boolean>) | undefined;
}

const optionalText = (name: string): AdminArgument => ({ name, required: false });
const FILTER = [optionalText('logger'), optionalText('counter')];

const NO_HISTOGRAMS: HistogramReplies = { schema: () => ({}), dump: () => ({}) };

/** The commands, with the help texts of daemons. */
export function perfCommands({
  histograms = NO_HISTOGRAMS,
  numbers = () => ({}),
  labelled = async () => unlabelled(await numbers()),
  reset,
}: PerfReplies): AdminCommand[] {
  const plain = new Paired(numbers);
  const withLabels = new Paired(labelled);
  const dump = async (args: CommandArguments): Promise<CommandResult> =>
    dumpNumbers(await plain.forDump(), filterOf(args));
  const schema = async (): Promise<CommandResult> => describeNumbers(await plain.forSchema());
  return [
    { prefix: '1', run: dump },
    { prefix: '2', run: schema },
    {
      prefix: 'counter dump',
      help: 'dump all labeled and non-labeled counters and their values',
      args: FILTER,
      run: async (args) => dumpLabelled(await withLabels.forDump(), filterOf(args)),
    },
    {
      prefix: 'counter schema',
      help: 'dump all labeled and non-labeled counters schemas',
      args: FILTER,
      run: async (args) => describeLabelled(await withLabels.forSchema(), filterOf(args)),
    },
    { prefix: 'perf dump', help: 'dump perfcounters value', args: FILTER, run: dump },
    {
      prefix: 'perf histogram dump',
      help: 'dump perf histogram values',
      args: FILTER,
      run: (args, format) => histograms.dump(filterOf(args), format),
    },
    {
      prefix: 'perf histogram schema',
      help: 'dump perf histogram schema',
      run: (_, format) => histograms.schema(format),
    },
    { prefix: 'perf schema', help: 'dump perfcounters schema', run: schema },
    { prefix: 'perfcounters_dump', run: dump },
    { prefix: 'perfcounters_schema', run: schema },
    ...(reset === undefined ? [] : [resetCommand(reset)]),
  ];
}

function filterOf({ logger, counter }: CommandArguments): PerfFilter {
  return { logger: logger as string | undefined, counter: counter as string | undefined };
}

function resetCommand(reset: NonNullable<PerfReplies['reset']>): AdminCommand {
  return {
    prefix: 'perf reset',
    help: 'perf reset <name>: perf reset all or one perfcounter name',
    args: [{ name: 'var' }],
    // These are the words of daemons.
    run: async ({ var: name }) =>
      (await reset(name as string)) ? { success: `perf reset ${name}` } : { error: `Not find: ${name}` },
  };
}

/** How long after a dump a schema belongs to it. ceph-exporter asks for both at once. */
const PAIRED_MS = 5000;

/**
 * Numbers for a dump, and for the schema that is asked for next. ceph-exporter matches both by names and places: if a series began or
 * ended between them, it would show values under the labels of other series.
 */
class Paired<Numbers> {
  readonly #read: () => Numbers | Promise<Numbers>;
  /** What the last dump had, until a schema has described it. */
  #dumped: { readonly numbers: Numbers; readonly atMs: number } | undefined;

  constructor(read: () => Numbers | Promise<Numbers>) {
    this.#read = read;
  }

  async forDump(): Promise<Numbers> {
    const numbers = await this.#read();
    this.#dumped = { numbers, atMs: performance.now() };
    return numbers;
  }

  async forSchema(): Promise<Numbers> {
    const dumped = this.#dumped;
    this.#dumped = undefined;
    return dumped !== undefined && performance.now() - dumped.atMs < PAIRED_MS
      ? dumped.numbers
      : this.#read();
  }
}
