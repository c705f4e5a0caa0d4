import { type BuildChanges, findChanges } from '@hdrscope/core';
import { type BuildChange, LEAST_STATE, type PercentileChange } from '@hdrscope/core/internal';
import {
  isShownChange,
  judgeChanges,
  lastChange,
  scaled,
  type ValueScale,
  valueFormat,
} from '@hdrscope/inputs/internal';
import { percentileName, valuesText } from '@hdrscope/kit';
import { type JunitCase, type Report, rowDetails } from '../file-reports.ts';
import { decimalText } from '../format.ts';
import type { ComparedSide, Differences } from './index.ts';
import { changesJson, figuresOfSide, reportWords, sideJson } from './report.ts';
import {
  type ComparisonWords,
  changeCells,
  changeColumns,
  type Format,
  intervalText,
  percentText,
} from './words.ts';

export interface ComparedBuild {
  readonly name: string;
  readonly runs: ComparedSide;
}

/** How the percentiles of a program have changed over its builds, and the facts that are shown with it. */
export interface SeriesChanges
  extends Pick<Differences, 'confidence' | 'tolerance' | 'unit' | 'isGate' | 'verdict'> {
  readonly builds: readonly ComparedBuild[];
  readonly percentiles: readonly number[];
  readonly found: BuildChanges;
}

interface ChangesOptions {
  readonly percentiles: readonly number[];
  readonly confidence: number;
  readonly failIfWorse?: number | undefined;
}

/** Finds the changes between builds. @throws HdrscopeError as `findChanges`. */
export function judgeBuilds(
  builds: readonly ComparedBuild[],
  unit: ValueScale,
  { percentiles, confidence, failIfWorse }: ChangesOptions,
): SeriesChanges {
  const tolerance = failIfWorse ?? 0;
  const found = findChanges(builds, { percentiles, confidence, tolerance });
  const names = builds.map(({ name }) => name);
  return {
    ...{ builds, percentiles, found, confidence, tolerance, unit },
    isGate: failIfWorse !== undefined,
    verdict: judgeChanges(found, percentiles, names),
  };
}

// Words.

function wordsOf(series: SeriesChanges): ComparisonWords {
  const { builds, found, confidence, unit } = series;
  const { changes } = found;
  const count = builds.reduce((sum, { runs }) => sum + runs.reduce((all, run) => all + run.totalCount, 0), 0);
  const [first, last] = [builds[0], builds.at(-1)];
  const names =
    first === undefined || first === last ? (first?.name ?? '') : `${first.name} to ${last!.name}`;
  const shown = changes.flatMap(({ percentiles }) =>
    percentiles.flatMap(({ before, after }) => [before, after]),
  );
  const format = valueFormat([...shown, ...found.alone.map(({ value }) => value)], unit);
  const [, ...columns] = changeColumns(confidence);
  return {
    heading: `${buildsText(builds.length)} (${names}), ${valuesText(count)}${unit.unit === '' ? '' : `, in ${unit.unit}`}`,
    columns: [{ title: 'since', isText: true }, ...columns],
    rows: changes.flatMap((change) =>
      change.percentiles.map((row) => {
        const [name, ...cells] = changeCells(differencesOf(series, change), row, format);
        return [`${change.since} ${name}`, ...cells];
      }),
    ),
    sentences: [...changeSentences(series, format), ...otherSentences(series, format)],
  };
}

function buildsText(count: number): string {
  return count === 1 ? '1 build' : `${count} builds`;
}

/** A change as a comparison of both states. */
function differencesOf(series: SeriesChanges, { before, after, percentiles }: BuildChange): Differences {
  return {
    ...series,
    minRuns: LEAST_STATE,
    comparison: { ground: 'runs', percentiles },
    sides: [runsOf(series, before), runsOf(series, after)],
  };
}

function runsOf({ builds }: SeriesChanges, names: readonly string[]): ComparedSide {
  return builds.filter(({ name }) => names.includes(name)).flatMap(({ runs }) => runs);
}

/** `p99 is 12.3 % higher since build-7 (99 % interval +8.1 to +16.9 %).`, the last change first. */
function changeSentences(series: SeriesChanges, format: Format): string[] {
  const { found, percentiles, builds, confidence } = series;
  const { changes, leastBuilds, leftOut, unjudged } = found;
  const taking = builds.length - leftOut.length;
  const judged = percentiles.filter((percentile) => !unjudged.includes(percentile));
  if (judged.length > 0 && taking < leastBuilds) {
    return [
      `${buildsText(taking)} cannot be judged: a change among builds needs at least ${leastBuilds} at a confidence of ${percentText(confidence)}. hdrscope diff compares two builds by their runs.`,
    ];
  }
  if (changes.length === 0) {
    return judged.length === 0
      ? []
      : [`No change of ${namesOf(judged)} over ${buildsText(taking)} is shown.`];
  }
  return changes
    .map((change, at) => {
      const texts = change.percentiles.filter(isShownChange).map((row) => {
        const name = percentileName(row.percentile);
        const amount = amountText(row, format, isWide(series));
        const interval = `(${percentText(confidence)} interval ${intervalText(row, format)})`;
        const next = changes
          .slice(at + 1)
          .find(({ percentiles: rows }) =>
            rows.some((one) => one.percentile === row.percentile && isShownChange(one)),
          );
        return next === undefined
          ? `${name} is ${amount} since ${change.since} ${interval}`
          : `${name} was ${amount} from ${change.since} until ${next.since} ${interval}`;
      });
      return `${texts.join('; ')}.`;
    })
    .reverse();
}

/** Whether values lie in wide buckets, so that their figures are bounds. */
function isWide({ builds }: SeriesChanges): boolean {
  return builds.some(({ runs }) => runs.some(({ boundsOf }) => boundsOf !== undefined));
}

/** `12.3 % higher`, or the difference when a value is 0. No number stands for a change between wide buckets. */
function amountText({ relative, difference }: PercentileChange, format: Format, isWide: boolean): string {
  if (isWide) return difference > 0 ? 'higher' : 'lower';
  const amount = Number.isFinite(relative)
    ? `${decimalText(Math.abs(relative) * 100, 1)} %`
    : format(Math.abs(difference));
  return `${amount} ${difference > 0 ? 'higher' : 'lower'}`;
}

function otherSentences(series: SeriesChanges, format: Format): string[] {
  const { found, builds, unit } = series;
  const { alone, isDrift, unjudged, leftOut } = found;
  const inUnit = (value: number): string => `${format(value)} ${unit.unit}`.trim();
  const figures = alone.map(({ name, percentile, value, usual }) => {
    const values = isWide(series) ? '' : `: ${inUnit(value)}, and ${inUnit(usual)} in the builds around it`;
    return `${name} stands alone by its ${percentileName(percentile)}${values}.`;
  });
  const newest = builds.at(-1)?.name;
  return [
    ...(isDrift
      ? ['Straight lines fit these builds as well as steps: they drift, and no single build is to blame.']
      : []),
    ...figures,
    ...(alone.some(({ name }) => name === newest)
      ? [`A change needs ${LEAST_STATE} builds, so later ones will show whether ${newest} begins one.`]
      : []),
    ...(leftOut.length > 0
      ? [`${leftOut.join(', ')}: too few values beyond a percentile, so left out.`]
      : []),
    ...(unjudged.length > 0
      ? [`${namesOf(unjudged)} cannot be judged: most builds have too few values beyond it.`]
      : []),
  ];
}

function namesOf(percentiles: readonly number[]): string {
  return percentiles.map((percentile) => percentileName(percentile)).join(', ');
}

// Reports.

/** The changes of a series as a report: a test for each percentile, which has failed when it is worse since its last change. */
export function changesReport(series: SeriesChanges): Report {
  const { percentiles, found, isGate, verdict } = series;
  const words = wordsOf(series);
  const isUnknown = isGate && verdict === 'cannot be judged';
  const cases = percentiles.map((percentile): JunitCase => {
    const name = percentileName(percentile);
    const isWorse = lastChange(found, percentile)?.change === 'worse';
    const isSkipped = isUnknown || found.unjudged.includes(percentile);
    return {
      name,
      type: 'worse',
      outcome: isWorse ? 'failure' : isSkipped ? 'skipped' : 'passed',
      message: `${name}: ${isWorse ? 'worse since its last change' : 'cannot be judged'}`,
      details: words.rows
        .filter(([label = '']) => label.endsWith(` ${name}`))
        .map((cells) => rowDetails(words.columns, cells))
        .join('\n\n'),
    };
  });
  const changes = found.changes.flatMap((change) => change.percentiles.map((row) => row.change));
  return reportWords(words, series, changes, cases, () => seriesJson(series));
}

/** The figures of all runs, and the changes between builds. */
function seriesJson(series: SeriesChanges): object {
  const { builds, percentiles, found, confidence, tolerance, unit, verdict } = series;
  const figures = (names: readonly string[]) => figuresOfSide(runsOf(series, names), unit, percentiles);
  return {
    builds: builds.map(({ name, runs }) => ({
      name,
      ...sideJson(figuresOfSide(runs, unit, percentiles), unit),
    })),
    confidence,
    tolerance,
    verdict,
    leastBuilds: found.leastBuilds,
    isDrift: found.isDrift,
    changes: found.changes.map(({ since, before, after, percentiles: rows }) => ({
      since,
      before,
      after,
      changes: changesJson(rows, figures(before), figures(after), unit),
    })),
    alone: found.alone.map(({ value, usual, ...lone }) => ({
      ...lone,
      // No number stands for values in wide buckets.
      value: isWide(series) ? null : scaled(value, unit),
      usual: isWide(series) ? null : scaled(usual, unit),
    })),
    unjudged: found.unjudged,
    leftOut: found.leftOut,
  };
}
