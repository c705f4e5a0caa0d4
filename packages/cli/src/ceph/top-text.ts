import type { ClusterInterval } from '@hdrscope/ceph';
import {
  type Bounds,
  type LatencyFigures,
  type OperationFigures,
  type SizeFigures,
  toJsonText,
} from '@hdrscope/ceph/internal';
import { formatDecimal } from '@hdrscope/core/internal';
import { formatValue } from '@hdrscope/plot';
import { formatCount, percentileTitle } from '../format.ts';
import { type Column, formatTable } from '../table.ts';
import { axisJson } from './axis-json.ts';
import { formatBounds } from './bounds-text.ts';

/** How the figures are printed. */
export interface TopTextOptions {
  readonly percentiles: readonly number[];
  /** The width of the terminal. */
  readonly columns: number;
  /** The largest number of daemons in the list of the slowest. */
  readonly top: number;
  bold(text: string): string;
}

/** How a table is written. */
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
    bounds: (bounds, unit) => formatBounds(bounds, { unit: unit ?? 'none' }),
    rate: rateText,
    size: ({ from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY }) =>
      formatBounds({ lower: from, upper: to }, { unit: 'bytes' }),
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
  const counted = interval.daemons.filter(({ state }) => state !== 'gone').length - figures.others.length;
  const seconds = formatDecimal(interval.seconds, interval.seconds < 10 ? 1 : 0);
  const title = `${counted} ${counted === 1 ? 'OSD' : 'OSDs'}, ${seconds} s: ${formatCount(figures.all.count)} operations`;
  const notes = [
    ...noteDaemons(interval),
    ...figures.leftOut.map((name) => `${name} has other axes, and is not in the sums`),
    ...figures.others.map((name) => `${name} has no histograms of an OSD's operations`),
  ];
  const lines = [bold(title), ...notes.flatMap((note) => wrapped(note, columns))];
  const shown = figures.all.count > 0n ? [...lines, ...tables(figures, options)] : lines;
  return `${shown.join('\n')}\n`;
}

/** What a person must know of the daemons of an interval, as sentences. */
function noteDaemons({ seconds, daemons }: ClusterInterval): string[] {
  return daemons.flatMap((daemon) => {
    const { name, state, problem, seconds: own } = daemon;
    if (state === 'gone') return [`${name} is gone: ${problem}`];
    if (state === 'new') return [`${name} is new: its operations count from the next interval on`];
    const notes = state === 'restarted' ? [`${name} began anew: its operations are those since then`] : [];
    // A reading takes a while, and daemons are not read at the same moment.
    const isLonger = own > 1.5 * seconds;
    return isLonger
      ? [...notes, `${name} is back: its operations are those of ${formatDecimal(own, 1)} s`]
      : notes;
  });
}

/** The operations by kind and size, and the slowest daemons, in columns of equal widths. */
function tables(figures: OperationFigures, options: TopTextOptions): string[] {
  const { columns, top, bold } = options;
  const made = stylesFor(options.percentiles.length).map((style) => tableIn(style, figures, options));
  const fitting = made.find((lines) => lines.every((line) => line.length <= columns)) ?? made.at(-1)!;
  const lines = fitting.map((line) => line.slice(0, columns));
  const first = lines.length - Math.min(top, figures.slowest.length);
  const [head = '', ...kinds] = lines.slice(0, first);
  const more = figures.slowest.length - top;
  return [
    bold(head),
    ...kinds,
    bold(figures.slowest.length > 1 ? 'slowest OSDs' : 'OSD'),
    ...lines.slice(first),
    ...(more > 0 ? [`and ${formatCount(more)} more`] : []),
  ];
}

function tableIn(
  style: Style,
  { all, kinds, slowest, unit }: OperationFigures,
  options: TopTextOptions,
): string[] {
  const from = options.percentiles.length - style.percentiles;
  const titles: Column[] = [
    { title: style.name('operations'), isText: true },
    { title: 'ops/s' },
    ...(style.hasMean ? [{ title: 'mean' }] : []),
    ...options.percentiles.slice(from).map((percentile) => ({ title: percentileTitle(percentile) })),
  ];
  const boundsOf = ({ mean, percentiles }: NonNullable<LatencyFigures['facts']>): Bounds[] => [
    ...(style.hasMean ? [mean] : []),
    ...percentiles.slice(from),
  ];
  const row = (name: string, { ratePerSec, facts }: LatencyFigures): string[] => [
    style.name(name),
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
    ...slowest.slice(0, options.top).map((one) => row(one.daemon, one)),
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
export function topJson(
  interval: ClusterInterval,
  figures: OperationFigures,
  percentiles: readonly number[],
): string {
  const { all, kinds, slowest, unit, leftOut, others } = figures;
  const latency = (name: string, { count, ratePerSec, facts }: LatencyFigures): object => ({
    ...axisJson({ name, unit: unit ?? 'none', count, facts }, percentiles),
    ratePerSec,
    ...(facts && { sumSource: facts.sumSource }),
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
    slowest: slowest.map(({ daemon, seconds, ...one }) => ({ ...latency(daemon, one), daemon, seconds })),
    daemons: interval.daemons.map(({ name, state, problem }) => ({ name, state, problem })),
    leftOut,
    others,
  };
  return `${toJsonText(row, 'json')}\n`;
}
