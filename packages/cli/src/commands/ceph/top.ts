import { existsSync } from 'node:fs';
import { type ClusterFollower, daemonsAt, followByTell, followDaemons } from '@hdrscope/ceph';
import {
  type Bounds,
  bySlowness,
  type ClusterInterval,
  type DaemonAnswer,
  type DaemonFigures,
  type LatencyFigures,
  type OperationFigures,
  type SizeFigures,
  summarizeOperations,
  toJsonText,
} from '@hdrscope/ceph/internal';
import { formatDecimal } from '@hdrscope/core/internal';
import { figuresJson } from '@hdrscope/inputs/internal';
import { formatCount, listNames, percentileName } from '@hdrscope/kit';
import { intervalTicks } from '@hdrscope/kit/delivery';
import { formatValue } from '@hdrscope/plot';
import { type Io, Refusal, UsageError } from '../../command.ts';
import { defineCommand, defineOptions, type OptionsOf } from '../../define-command.ts';
import { integer, intervalOption, intervalsOption, percentilesOption } from '../../options.ts';
import { painter, plotColumns, replaceScreen, screenOf } from '../../screen/screen.ts';
import { type Column, formatTable } from '../../screen/table.ts';
import { axisFigures, formatAxisBounds } from './figures.ts';
import { daemonsToTell, kindOf, sizesOption, TELL } from './histograms.ts';

const SOCKETS = '/var/run/ceph';

const DESCRIPTION = `Shows the latency of all OSDs in each interval: together, by kind and size of the operations, and the
slowest OSDs.

It reads the admin sockets of this machine, or with --tell whatever the ceph command reaches. The figures are
those of the operations that ended within the interval. A slot of Ceph spans an octave, so a percentile has two
bounds, and a narrow terminal has the upper one. The mean of an OSD comes from its own sums: its bounds are as
far apart as the operations that ended while it was asked. OSDs that restart, go or come are reported. An OSD
that hangs does not delay the others: its last figures are shown with their age, and are in no sum. Ctrl-C ends
it.`;

const OPTIONS = defineOptions({
  interval: { ...intervalOption(), default: 5, fallback: '5s' },
  intervals: intervalsOption(),
  once: { help: 'prints one interval, and ends' },
  ...TELL,
  sizes: { ...sizesOption(), default: [4096, 65_536, 1_048_576], fallback: '4KiB,64KiB,1MiB' },
  top: { value: '<count>', help: 'how many of the slowest OSDs to show', parse: integer(1), default: 10 },
  percentiles: percentilesOption(),
});

export const command = defineCommand({
  path: 'hdrscope ceph top',
  description: DESCRIPTION,
  examples: [
    'hdrscope ceph top',
    'hdrscope ceph top /var/run/ceph/6f2d0b1e-fsid --interval 10s --sizes 4KiB,128KiB',
    "hdrscope ceph top --tell 'osd.*' --once --json",
  ],
  operands: {
    '[socket|folder...]': { help: 'admin sockets, and folders of sockets', fallback: SOCKETS },
  },
  options: OPTIONS,
  formats: ['text', 'json'],
  formatNotes: 'json is a line for each interval',
  async run({ options, operands, format }, io) {
    const { once = false, interval, percentiles } = options;
    const follower = await openFollower(options, operands, io);
    const answers = await follower.start();
    assertHistograms(answers);
    for (const { name, problem } of answers) {
      if (problem !== undefined) await io.stderr.write(`hdrscope: ${name} does not answer: ${problem}\n`);
    }
    const isScreen = io.stdout.isTerminal && !once && format === 'text';
    const paint = painter(io, io.stdout);
    const ticks = intervalTicks(interval * 1000, io.signal);
    for (let left = once ? 1 : (options.intervals ?? Number.POSITIVE_INFINITY); left > 0; left--) {
      await ticks();
      const counts = await follower.advance();
      const figures = summarizeOperations(counts, options);
      const text =
        format === 'json'
          ? topJson(counts, figures, percentiles)
          : topText(counts, figures, {
              ...options,
              columns: plotColumns(screenOf(io).columns),
              bold: (line) => paint('bold', line),
            });
      await io.stdout.write(isScreen ? replaceScreen(text) : text);
    }
  },
});

async function openFollower(
  { tell, ceph }: OptionsOf<typeof OPTIONS>,
  operands: readonly string[],
  io: Io,
): Promise<ClusterFollower> {
  const { monotonicMs, signal } = io;
  if (tell === undefined) {
    if (operands.length === 0 && !existsSync(SOCKETS)) {
      throw new Refusal(
        `there is no folder ${SOCKETS}: name the folder of the sockets, or ask through ceph with --tell`,
      );
    }
    return followSockets(operands.length === 0 ? [SOCKETS] : operands, monotonicMs);
  }
  if (operands.length > 0) {
    throw new UsageError("--tell asks the cluster: it takes no sockets; --tell 'osd.*' names daemons");
  }
  return followByTell({ target: daemonsToTell(tell), program: ceph, signal, monotonicMs });
}

/**
 * Follows the daemons behind sockets, and behind those in folders, which are found anew at each reading.
 *
 * @throws Refusal when there is no such path, or it is neither a socket nor a folder.
 */
export async function followSockets(
  paths: readonly string[],
  monotonicMs: () => number,
): Promise<ClusterFollower> {
  const kinds = await Promise.all(paths.map(kindOf));
  const file = paths.find((_, at) => kinds[at] === 'file');
  if (file !== undefined) throw new Refusal(`${file} is neither an admin socket nor a folder of sockets`);
  const list = async () => (await Promise.all(paths.map((path) => daemonsAt(path)))).flat();
  return followDaemons(list, { monotonicMs });
}

/** @throws Refusal when no daemon has histograms. */
function assertHistograms(answers: readonly DaemonAnswer[]): void {
  if (answers.some(({ histograms }) => histograms !== undefined)) return;
  const reasons = answers.flatMap(({ problem }) => problem ?? []);
  const why = reasons.length === 0 ? "among Ceph's daemons, OSDs have some" : reasons.join('; ');
  throw new Refusal(`no daemon with histograms answers: ${why}`);
}

interface TopTextOptions {
  readonly percentiles: readonly number[];
  readonly columns: number;
  /** The largest number of daemons in the list of the slowest. */
  readonly top: number;
  bold(text: string): string;
}

interface Style {
  readonly hasMean: boolean;
  /** How many of the percentiles are shown, the last ones first. */
  readonly percentiles: number;
  readonly bounds: (bounds: Bounds, unit: OperationFigures['unit']) => string;
  readonly rate: (rate: number) => string;
  readonly size: (size: SizeFigures) => string;
  readonly name: (name: string) => string;
}

/** From wide to narrow: the first style that fits is taken. */
function stylesFor(percentiles: number): Style[] {
  const wide: Style = {
    hasMean: true,
    percentiles,
    bounds: (bounds, unit) => formatAxisBounds(bounds, { unit: unit ?? 'none' }),
    rate: rateText,
    size: ({ from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY }) =>
      formatAxisBounds({ lower: from, upper: to }, { unit: 'bytes' }),
    name: (name) => name,
  };
  const narrow: Style = { ...wide, bounds: shortBounds, rate: shortRate, size: shortSize, name: shortName };
  const fewer = Array.from({ length: percentiles }, (_, i) => ({
    ...narrow,
    hasMean: false,
    percentiles: percentiles - i,
  }));
  return [wide, narrow, ...fewer];
}

/** The figures of an interval, for people. No line is longer than the terminal is wide, from 40 columns on. */
export function topText(
  interval: ClusterInterval,
  figures: OperationFigures,
  options: TopTextOptions,
): string {
  const { columns, bold } = options;
  const answering = interval.daemons.filter(({ state }) => state !== 'gone' && state !== 'waiting');
  const counted = answering.length - figures.others.length;
  const seconds = formatDecimal(interval.seconds, interval.seconds < 10 ? 1 : 0);
  const title = `${counted} ${counted === 1 ? 'OSD' : 'OSDs'}, ${seconds} s: ${formatCount(figures.all.count)} operations`;
  const notes = [
    ...noteDaemons(interval),
    ...figures.leftOut.map((name) => `${name} has other axes, and is not in the sums`),
    ...figures.others.map((name) => `${name} has no histograms of an OSD's operations`),
  ];
  const lines = [bold(title), ...notes.flatMap((note) => wrapped(note, columns))];
  const hasRows = figures.all.count > 0n || figures.late.length > 0;
  const shown = hasRows ? [...lines, ...tables(figures, options)] : lines;
  return `${shown.join('\n')}\n`;
}

/** What a person must know of the daemons of an interval, as sentences. */
function noteDaemons({ daemons }: ClusterInterval): string[] {
  const waiting = daemons.filter(({ state }) => state === 'waiting');
  const notes = daemons.flatMap(({ name, state, problem, seconds: own, isBack, ageSeconds = 0 }) => {
    if (state === 'waiting') return [];
    if (state === 'gone') return [`${name} has not answered for ${secondsText(ageSeconds)}: ${problem}`];
    if (state === 'new') return [`${name} is new: its operations count from the next interval on`];
    const notes = state === 'restarted' ? [`${name} began anew: its operations are those since then`] : [];
    return isBack ? [...notes, `${name} is back: its operations are those of ${secondsText(own)}`] : notes;
  });
  if (waiting.length === 0) return notes;
  const names = waiting.map(({ name }) => name);
  return [...notes, `${listNames(names, MOST_NAMES)}: never answered`];
}

function secondsText(seconds: number): string {
  return `${formatDecimal(seconds, seconds < 100 ? 1 : 0)} s`;
}

const MOST_NAMES = 5;

/** The operations by kind and size, and the slowest daemons, in columns of equal widths. */
function tables(figures: OperationFigures, options: TopTextOptions): string[] {
  const { columns, top, bold } = options;
  const osds = [...figures.slowest, ...figures.late].sort(bySlowness);
  const made = stylesFor(options.percentiles.length).map((style) => tableIn(style, figures, osds, options));
  const fitting = made.find((lines) => lines.every((line) => line.length <= columns)) ?? made.at(-1)!;
  const lines = fitting.map((line) => line.slice(0, columns));
  const first = lines.length - Math.min(top, osds.length);
  const [head = '', ...kinds] = lines.slice(0, first);
  const more = osds.length - top;
  return [
    bold(head),
    ...kinds,
    bold(osds.length > 1 ? 'slowest OSDs' : 'OSD'),
    ...lines.slice(first),
    ...(more > 0 ? [`and ${formatCount(more)} more`] : []),
  ];
}

function tableIn(
  style: Style,
  { all, kinds, unit }: OperationFigures,
  osds: readonly DaemonFigures[],
  options: TopTextOptions,
): string[] {
  const hasAge = osds.some(({ ageSeconds }) => ageSeconds > 0);
  const from = options.percentiles.length - style.percentiles;
  const titles: Column[] = [
    { title: style.name('operations'), isText: true },
    ...(hasAge ? [{ title: 'age' }] : []),
    { title: 'ops/s' },
    ...(style.hasMean ? [{ title: 'mean' }] : []),
    ...options.percentiles.slice(from).map((percentile) => ({ title: percentileName(percentile) })),
  ];
  const boundsOf = ({ mean, percentiles }: NonNullable<LatencyFigures['facts']>): Bounds[] => [
    ...(style.hasMean ? [mean] : []),
    ...percentiles.slice(from),
  ];
  const row = (name: string, { ratePerSec, facts }: LatencyFigures, age = ''): string[] => [
    style.name(name),
    ...(hasAge ? [age] : []),
    style.rate(ratePerSec),
    ...(facts === undefined ? [] : boundsOf(facts)).map((bounds) => style.bounds(bounds, unit)),
  ];
  const counted = kinds.filter(({ count }) => count > 0n);
  return formatTable(titles, [
    ...(counted.length > 1 ? [row('all', all)] : []),
    ...counted.flatMap((kind) => [
      row(kind.kind, kind),
      ...kind.sizes.map((size) => row(`  ${style.size(size)}`, size)),
    ]),
    ...osds.slice(0, options.top).map((one) => row(one.daemon, one, secondsText(one.ageSeconds))),
  ]);
}

const LONGEST_NAME = 10;

function shortName(name: string): string {
  const short = name === 'read-writes' ? 'rw' : name;
  return short.length > LONGEST_NAME ? `${short.slice(0, LONGEST_NAME - 1)}…` : short;
}

function shortRate(rate: number): string {
  return rate < 99_950 ? rateText(rate) : `${formatCount(Math.round(rate / 1000))}k`;
}

function rateText(rate: number): string {
  return rate < 9.95 ? formatDecimal(rate, 1) : formatCount(Math.round(rate));
}

/** `<800 µs` for a value below that, `≥1.6 s` for one of an open slot, and `512 µs` for a known one. */
function shortBounds({ lower, upper }: Bounds, unit: OperationFigures['unit']): string {
  if (Number.isNaN(lower)) return '-';
  const text = (value: number): string => (value === 0 ? '0' : formatValue(value, unit ?? 'none'));
  if (upper === Number.POSITIVE_INFINITY)
    return lower === Number.NEGATIVE_INFINITY ? 'any' : `≥${text(lower)}`;
  return text(lower) === text(upper) ? text(upper) : `<${text(upper)}`;
}

/** `<4K`, `4K-64K` or `1M+`. */
function shortSize({ from, to }: SizeFigures): string {
  const text = (bytes: number): string => formatValue(bytes, 'bytes').replace(/ (?:([KMGT])i)?B$/, '$1');
  if (from === undefined) return to === undefined ? 'all' : `<${text(to)}`;
  return to === undefined ? `${text(from)}+` : `${text(from)}-${text(to)}`;
}

function wrapped(text: string, columns: number): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1)!;
    if (line === '') lines[lines.length - 1] = word;
    else if (line.length + 1 + word.length <= columns) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(`  ${word}`);
  }
  // A path may be longer than a line.
  return lines.flatMap((line) => {
    const characters = [...line];
    return Array.from({ length: Math.ceil(characters.length / columns) || 1 }, (_, at) =>
      characters.slice(at * columns, (at + 1) * columns).join(''),
    );
  });
}

/** The figures of an interval for programs, on one line. Bounds that are open are `null`. */
function topJson(
  interval: ClusterInterval,
  figures: OperationFigures,
  percentiles: readonly number[],
): string {
  const { all, kinds, slowest, late, unit, leftOut, others } = figures;
  const latency = (name: string, { count, ratePerSec, facts }: LatencyFigures): object => ({
    ...figuresJson(axisFigures({ name, unit: unit ?? 'none', count }, facts, percentiles)),
    ratePerSec,
    ...(facts && { sumSource: facts.sumSource }),
  });
  const daemonRow = ({ daemon, seconds, ageSeconds, ...one }: DaemonFigures): object => ({
    ...latency(daemon, one),
    daemon,
    seconds,
    ageSeconds,
  });
  const row = {
    seconds: interval.seconds,
    operations: latency('operations', all),
    kinds: kinds.map(({ kind, counter, sizes, ...one }) => ({
      ...latency(kind, one),
      kind,
      counter,
      sizes: sizes.map((size) => ({
        ...latency(`${kind} of ${shortSize(size)}`, size),
        from: size.from ?? null,
        to: size.to ?? null,
      })),
    })),
    slowest: slowest.map(daemonRow),
    late: late.map(daemonRow),
    daemons: interval.daemons.map(({ name, state, problem, ageSeconds = null }) => ({
      name,
      state,
      problem,
      ageSeconds,
    })),
    leftOut,
    others,
  };
  return `${toJsonText(row, 'json')}\n`;
}
