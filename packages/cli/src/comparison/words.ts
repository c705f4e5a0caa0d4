import type { Bounds } from '@hdrscope/core';
import { countIndependent, LEAST_BEYOND, LEAST_PIECES, type PercentileChange } from '@hdrscope/core/internal';
import { mayExceed, valueFormat } from '@hdrscope/inputs/internal';
import { formatBounds, formatCount, percentileName, valuesText } from '@hdrscope/kit';
import { decimalText, signedText, worthText } from '../format.ts';
import type { Column } from '../screen/table.ts';
import type { ComparedRun, ComparedSide, Differences } from './index.ts';

/** A comparison in words, for any report. */
export interface ComparisonWords {
  /** What is compared: both sides with their runs and values, and the unit. */
  readonly heading: string;
  readonly columns: readonly Column[];
  /** A row for each percentile, in the order of the table. */
  readonly rows: readonly (readonly string[])[];
  /** The result first, then what it rests on. */
  readonly sentences: readonly string[];
}

export function wordsOf(differences: Differences): ComparisonWords {
  const { comparison, sides, confidence, unit } = differences;
  const { percentiles } = comparison;
  const format = valueFormat(
    percentiles.flatMap(({ before, after }) => [before, after]),
    unit,
  );
  return {
    heading: `${sideText(sides[0], 'before', differences)} and ${sideText(sides[1], 'after', differences)}${unit.unit === '' ? '' : `, in ${unit.unit}`}`,
    columns: changeColumns(confidence),
    rows: percentiles.map((row) => changeCells(differences, row, format)),
    sentences: [...resultSentences(differences, format), ...groundSentences(differences)],
  };
}

/** The columns of changes, for `changeCells`. */
export function changeColumns(confidence: number): Column[] {
  return [
    { title: '' },
    { title: 'before' },
    { title: 'after' },
    { title: 'difference', spare: 2 },
    { title: 'change' },
    { title: `${percentText(confidence)} interval`, spare: 1 },
    { title: 'verdict', isText: true },
  ];
}

/** A change of a percentile, as a row. */
export function changeCells(differences: Differences, row: PercentileChange, format: Format): string[] {
  return [
    percentileName(row.percentile),
    ...figureCells(differences, row, format),
    row.change === 'cannot be judged' ? '-' : intervalText(row, format),
    labelOf(differences, row),
  ];
}

// Sides.

/** `a.hlog (20,000 values, correlated: as good as 900)`, or `before (3 runs, 60,000 values)`. */
function sideText(side: ComparedSide, name: 'before' | 'after', { comparison }: Differences): string {
  const [run] = side as [ComparedRun];
  if (side.length > 1) {
    const count = valuesText(side.reduce((sum, { totalCount }) => sum + totalCount, 0));
    return `${name} (${side.length} runs, ${count})`;
  }
  const sent = countSent(run);
  const worth = comparison.percentiles.reduce(
    (least, { dependence }) => Math.min(least, dependence?.[name].asGoodAs ?? sent),
    sent,
  );
  return `${run.name} (${worthText(run.totalCount, worth, sent)})`;
}

// Figures.

/** Formats a value with the decimals of all. */
export type Format = (value: number) => string;

/** The value before and after, the difference, and the change. */
function figureCells({ sides, unit }: Differences, row: PercentileChange, format: Format): string[] {
  const [before, after] = sides.map((runs) =>
    meanBounds(runs.flatMap((run) => run.boundsOf?.([row.percentile]).percentiles[0] ?? [])),
  );
  if (before !== undefined && after !== undefined) {
    // The bounds are in the unit already.
    const inUnit = (value: number): string => format(value * unit.divisor);
    const difference = { lower: after.lower - before.upper, upper: after.upper - before.lower };
    return [
      formatBounds(before, inUnit),
      formatBounds(after, inUnit),
      formatBounds(difference, (value) => signedText(value, inUnit)),
      '',
    ];
  }
  const { relative } = row;
  return [
    format(row.before),
    format(row.after),
    signedText(row.difference, format),
    Number.isFinite(relative) ? signedPercent(relative) : '',
  ];
}

/** The bounds of the mean of all runs, which is geometric unless one is 0, as that of `compareRuns`; `undefined` without runs. */
export function meanBounds(figures: readonly Bounds[]): Bounds | undefined {
  if (figures.length < 2) return figures[0];
  const isRatio = figures.every(({ lower }) => lower > 0);
  const meanOf = (of: (figure: Bounds) => number): number => {
    const sum = figures.reduce((total, figure) => total + (isRatio ? Math.log(of(figure)) : of(figure)), 0);
    return isRatio ? Math.exp(sum / figures.length) : sum / figures.length;
  };
  return { lower: meanOf(({ lower }) => lower), upper: meanOf(({ upper }) => upper) };
}

/** The interval of the change, in percent unless a value is 0: `+8.1 to +16.9 %`. */
export function intervalText({ relativeInterval, interval }: PercentileChange, format: Format): string {
  const isRatio = !Number.isNaN(relativeInterval.lower);
  const { lower, upper } = isRatio ? relativeInterval : interval;
  const text = isRatio ? signedPercent : (value: number): string => signedText(value, format);
  return `${text(lower).replace(/ %$/, '')} to ${text(upper)}`;
}

/** `p99 +12.3 % (99 % interval +8.1 to +16.9 %)` */
function changeText(row: PercentileChange, confidence: number, format: Format, isWide: boolean): string {
  const { relative, difference } = row;
  // No number stands for a change between wide buckets.
  if (isWide)
    return `${percentileName(row.percentile)} (${percentText(confidence)} interval ${intervalText(row, format)})`;
  const amount = Number.isFinite(relative) ? signedPercent(relative) : signedText(difference, format);
  return `${percentileName(row.percentile)} ${amount} (${percentText(confidence)} interval ${intervalText(row, format)})`;
}

// Verdicts.

/** What grows: times make a program slower, other values are higher. */
function directions({ unit }: Differences): { readonly more: string; readonly less: string } {
  return unit.unit === 'ms' ? { more: 'slower', less: 'faster' } : { more: 'higher', less: 'lower' };
}

function labelOf(differences: Differences, { change }: PercentileChange): string {
  const { comparison } = differences;
  const { more, less } = directions(differences);
  if (change === 'cannot be judged') return change;
  if (comparison.ground !== 'runs') {
    if (change === 'no significant difference') return 'no difference shown';
    return change === 'better' ? `${less} in this run` : `${more} in this run`;
  }
  if (change === 'worse') return `significantly ${more}`;
  if (change === 'better') return `significantly ${less}`;
  return change === 'within tolerance' ? `${more} within tolerance` : change;
}

function resultSentences(differences: Differences, format: Format): string[] {
  const { comparison, sides, confidence, tolerance } = differences;
  const { ground, percentiles } = comparison;
  const { more, less } = directions(differences);
  const listOf = (change: PercentileChange['change'], text: (row: PercentileChange) => string): string =>
    percentiles
      .filter((row) => row.change === change)
      .map(text)
      .join(', ');
  const isWide = sides.some((side) => side.some(({ boundsOf }) => boundsOf !== undefined));
  const described = (row: PercentileChange): string => changeText(row, confidence, format, isWide);
  const limit = tolerance === 0 ? '' : `, by more than ${percentText(tolerance)}`;
  const surely = ground === 'runs' ? 'Significantly ' : '';
  const worse = listOf('worse', described);
  const tolerated = listOf('within tolerance', described);
  const better = listOf('better', described);
  const equal = listOf('no significant difference', excludedText);
  const found = [
    worse && `${surely}${more}${limit}: ${worse}.`,
    tolerated && `${surely}${more}, within the tolerance of ${percentText(tolerance)}: ${tolerated}.`,
    better && `${surely}${less}: ${better}.`,
    equal &&
      `No ${ground === 'runs' ? 'significant ' : ''}difference${ground === 'runs' ? '' : ' shown'}: ${equal}.`,
  ].filter((sentence) => sentence !== '');
  const sentences = found.map(capital);
  if (ground !== 'runs' && (worse || tolerated || better)) {
    const differ =
      ground === 'stretches' ? 'These two runs differ.' : 'If values are independent, these two runs differ.';
    sentences[0] = `${differ} ${sentences[0]}`;
  }
  return [...sentences, ...hiddenSentences(differences), ...unknownSentences(differences)];
}

/** Which percentiles may have grown by more than `--must-exclude` lets pass. */
function hiddenSentences({ comparison: { percentiles }, mustExclude }: Differences): string[] {
  if (mustExclude === undefined) return [];
  const hidden = percentiles
    .filter(
      (row) => row.change !== 'worse' && row.change !== 'cannot be judged' && mayExceed(row, mustExclude),
    )
    .map(({ percentile }) => percentileName(percentile));
  if (hidden.length === 0) return [];
  return [
    `An increase above ${percentText(mustExclude)}, which must be excluded, is possible for ${hidden.join(', ')}: make more runs, or longer ones.`,
  ];
}

function excludedText({ percentile, relativeInterval: { upper } }: PercentileChange): string {
  const name = percentileName(percentile);
  return Number.isFinite(upper)
    ? `${name} (an increase of up to ${percentText(Math.max(upper, 0))} is possible)`
    : name;
}

/** Why percentiles cannot be judged, and what would decide it. */
function unknownSentences({ comparison: { percentiles }, sides }: Differences): string[] {
  const few = percentiles.filter(({ reason }) => reason === 'few values');
  const dependent = percentiles.filter(({ reason }) => reason === 'few pieces');
  const names = (rows: readonly PercentileChange[]): string =>
    rows.map(({ percentile }) => percentileName(percentile)).join(', ');
  const sentences: string[] = [];
  if (few.length > 0) {
    // Bounded: the command line names the percentiles.
    const part = Math.min(...few.map(({ percentile }) => Math.min(percentile, 100 - percentile))) / 100;
    const runs = Math.min(sides[0].length, sides[1].length);
    // A run needs more values when they depend on each other.
    const repeated = few.reduce((most, { dependence }) => Math.max(most, repetitions(dependence, sides)), 1);
    const needed = Math.ceil(Number(((LEAST_BEYOND / Math.min(runs, 4) / part) * repeated).toPrecision(2)));
    const cure =
      part === 0
        ? ' An extreme of other runs is not known.'
        : ` ${runs === 1 ? 'A run' : 'Each run'} needs at least ${formatCount(needed)} values.`;
    sentences.push(
      `${names(few)} cannot be judged: too few values beyond ${few.length === 1 ? 'it' : 'them'}.${cure}`,
    );
  }
  if (dependent.length > 0) {
    const pieces = dependent.reduce(
      (least, { dependence }) =>
        dependence === undefined ? least : Math.min(least, dependence.before.pieces, dependence.after.pieces),
      LEAST_PIECES,
    );
    const longer = decimalText(LEAST_PIECES / pieces, 1);
    sentences.push(
      `${names(dependent)} cannot be judged: values depend on those long before them, so a run is as good as ${formatCount(Math.floor(pieces))} independent pieces, and ${LEAST_PIECES} are needed. Runs ${longer} times as long would have them.`,
    );
  }
  return sentences;
}

/** How many values of a run are as good as one. */
function repetitions(
  dependence: PercentileChange['dependence'],
  [before, after]: Differences['sides'],
): number {
  const ofRun = (run: ComparedRun, asGoodAs = countSent(run)): number => run.totalCount / asGoodAs;
  return Math.max(
    ofRun(before[0]!, dependence?.before.asGoodAs),
    ofRun(after[0]!, dependence?.after.asGoodAs),
  );
}

/** How many values a run has, without those that a sample left out. */
function countSent({ values }: ComparedRun): number {
  return countIndependent('lowest' in values ? values.histogram : values);
}

/** What the verdict rests on, what it could have shown, and what it cannot say. */
function groundSentences({ comparison, sides, confidence, minRuns, verdict, isGate }: Differences): string[] {
  const { ground, percentiles } = comparison;
  const judged = percentiles.filter(({ change }) => change !== 'cannot be judged');
  const runs = Math.min(sides[0].length, sides[1].length);
  const shown = judged
    .filter(({ smallestShown }) => Number.isFinite(smallestShown))
    .map(({ percentile, smallestShown }) => `${percentileName(percentile)} ${percentText(smallestShown, 2)}`);
  const level =
    judged.length < 2
      ? ''
      : `${judged.length === 2 ? 'Both' : `All ${judged.length}`} intervals together contain the true changes with ${percentText(confidence)}. `;
  const smallest =
    shown.length === 0
      ? ''
      : `The smallest increases that ${ground === 'runs' ? `${runs} such runs a side` : 'two such runs'} show: ${shown.join(', ')}.`;
  const sentences = [`${level}${smallest}`.trim()].filter((sentence) => sentence !== '');
  if (ground !== 'runs') {
    sentences.push(
      `Another run of one program may differ as much, so this does not tell whether the program has changed: compare at least ${minRuns} runs a side, --before a1 a2 a3 --after b1 b2 b3.`,
    );
    if (ground === 'independence') {
      sentences.push(
        'The order of these values is not known: intervals of a log, or times of requests, show how dependent values are.',
      );
    }
    if (isGate && verdict === 'cannot be judged') sentences.push('--one-run accepts the risk.');
  } else if (isGate && runs < minRuns) {
    sentences.push(`${runs} runs a side are fewer than --min-runs, ${minRuns}: the result cannot be judged.`);
  }
  if (ground === 'runs' && areOneAfterTheOther(sides)) sentences.push(ONE_AFTER_THE_OTHER);
  return sentences;
}

const ONE_AFTER_THE_OTHER =
  'All runs of one side came before those of the other, so what has changed on the machine meanwhile looks like a change of the program: hdrscope ab measures both in turn.';

function areOneAfterTheOther([before, after]: Differences['sides']): boolean {
  const startsOf = (side: ComparedSide): number[] => side.map(({ startMs = Number.NaN }) => startMs);
  const endsBefore = (one: ComparedSide, other: ComparedSide): boolean =>
    // Bounded: the command line names the runs. `NaN` is neither before nor after.
    Math.max(...startsOf(one)) < Math.min(...startsOf(other));
  return endsBefore(before, after) || endsBefore(after, before);
}

function capital(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}

// Numbers.

/** A part in percent, to three digits: `10.6 %`, `598 %`. Close to 100, those that tell it from 100: `99.75 %`. */
export function percentText(part: number, digits = 3): string {
  const value = part * 100;
  const isClose = value > 99 && value < 100;
  return `${Number(isClose ? (100 - Number((100 - value).toPrecision(2))).toPrecision(12) : value.toPrecision(digits))} %`;
}

function signedPercent(part: number): string {
  const decimals = part !== 0 && Math.abs(part) < 0.01 ? 2 : 1;
  return signedText(part, (amount) => `${decimalText(amount * 100, decimals)} %`);
}
