import type { Bounds } from '@hdrscope/core';
import type { ObjectiveHistory } from '@hdrscope/history';
import type { ObjectivePeriod } from '@hdrscope/history/internal';
import { boundsJson, scaled } from '@hdrscope/inputs/internal';
import { formatBounds, formatCount, formatDurationParts, formatShare, MINUTE_MS } from '@hdrscope/kit';
import type { Io } from '../../command.ts';
import { jsonDocument } from '../../figures.ts';
import { type Every, everySec, isoTime, stretchStart } from '../../moment.ts';
import { wrapToScreen } from '../../screen/help-text.ts';
import type { Colour } from '../../screen/screen.ts';
import { type Column, csvLine, paintEnds, shownTable } from '../../screen/table.ts';
import { shownUnitOf, zoneNote } from '../query/answer.ts';
import { type AskedHistory, missingJson } from '../query/engine.ts';

/** A report, and what it was asked for. */
export interface Reported {
  readonly metric: string;
  /** In the unit. */
  readonly threshold: number;
  readonly objective: number;
  /** UCUM code. */
  readonly unit: string;
  readonly every: Every;
  readonly timeZone: string;
  readonly by: readonly string[];
  readonly sinceMs: number;
  readonly untilMs: number;
  readonly groups: readonly ObjectiveHistory[];
  readonly history: AskedHistory;
}

const COLOURS: Readonly<Record<ObjectivePeriod['verdict'], Colour>> = {
  kept: 'green',
  missed: 'red',
  undecided: 'yellow',
  'without values': 'dim',
};

/** A table by period for each group, and a sentence. */
export function reportText(reported: Reported, io: Io): string {
  return reported.groups
    .map((group) => {
      const name = nameOf(group, reported.by);
      const head = `${reported.metric}${name === '' ? '' : `, ${name}`}${zoneNote(reported.timeZone)}`;
      const table = tableOf(group, reported, io).join('\n');
      return `${wrapToScreen(head, io)}\n\n${table}\n\n${conclusion(group, reported, io)}\n`;
    })
    .join('\n');
}

function nameOf({ attributes }: ObjectiveHistory, by: readonly string[]): string {
  return by.map((key) => `${key}=${attributes[key] ?? '-'}`).join(', ');
}

function tableOf({ periods, total }: ObjectiveHistory, { every, timeZone }: Reported, io: Io): string[] {
  const columns: Column[] = [
    { title: wordFor(every) === 'day' ? 'day' : 'start', isText: true },
    { title: 'values', spare: 2 },
    { title: 'bad', spare: 1 },
    { title: 'within' },
    { title: 'burn rate' },
    { title: 'budget used' },
    { title: 'verdict', isText: true },
  ];
  const rows = [...periods, total];
  const cells = rows.map((period, at) => {
    const { count, within, share, burnRate, budgetUsed, verdict } = period;
    return [
      at === periods.length ? 'total' : stretchStart(period.startMs, every.length, timeZone),
      formatCount(count),
      formatBounds({ lower: count - within.upper, upper: count - within.lower }, formatCount),
      share === undefined ? '-' : formatBounds(share, formatShare),
      burnRate === undefined ? '-' : formatBounds(burnRate, rateText),
      formatBounds(budgetUsed, usedText),
      verdict,
    ];
  });
  const colours = rows.map(({ verdict }) => COLOURS[verdict]);
  return shownTable(columns, cells, io, paintEnds(cells, colours, io));
}

function rateText(rate: number): string {
  return rate !== 0 && rate < 0.01 ? '< 0.01' : rate >= 100 ? formatCount(Math.round(rate)) : rate.toFixed(2);
}

/** A part of a budget, which may be more than all of it. */
function usedText(part: number): string {
  const percent = part * 100;
  if (percent !== 0 && percent < 0.1) return '< 0.1 %';
  return percent < 10 ? `${Number(percent.toFixed(1))} %` : `${formatCount(Math.round(percent))} %`;
}

function conclusion(group: ObjectiveHistory, reported: Reported, io: Io): string {
  const { periods, verdicts, total, divided } = group;
  const { every, objective, threshold, unit } = reported;
  const { title, scale } = shownUnitOf(unit);
  const value = (one: number): string => `${scaled(one, scale)}${title === '' ? '' : ` ${title}`}`;
  const count = (n: number): string => `${formatCount(n)} ${periodWord(every, n)}`;
  const rest = [
    verdicts.undecided > 0 && `undecided on ${formatCount(verdicts.undecided)}`,
    verdicts['without values'] > 0 && `without values on ${formatCount(verdicts['without values'])}`,
  ].filter((one) => one !== false);
  const days = count(periods.length);
  const kept = `kept on ${formatCount(verdicts.kept)} of ${days}${rest.length === 0 ? '' : ` (${rest.join(', ')})`}`;
  const lines = [
    `Had the objective been ${formatShare(objective)} within ${value(threshold)}, it would have been ${kept}; the budget of ${days} would have been used by ${formatBounds(total.budgetUsed, usedText)}.`,
  ];
  if (divided !== undefined && total.within.lower < total.within.upper) {
    const exact = `${scaled(divided.upper, scale)}${title === 'ms' ? title : ''}`;
    lines.push(
      divided.upper === Number.POSITIVE_INFINITY
        ? `The threshold lies inside a bucket from ${value(divided.lower)} without an end: no threshold above has exact shares.`
        : `The threshold lies inside a slot, from ${value(divided.lower)} to ${value(divided.upper)}: --threshold ${exact} has exact shares.`,
    );
  }
  return lines.map((line) => wrapToScreen(line, io)).join('\n');
}

const WORDS: Readonly<Record<string, string>> = {
  [JSON.stringify(MINUTE_MS)]: 'minute',
  [JSON.stringify(60 * MINUTE_MS)]: 'hour',
  [JSON.stringify({ days: 1 })]: 'day',
  [JSON.stringify({ days: 7 })]: 'week',
  [JSON.stringify({ months: 1 })]: 'month',
  [JSON.stringify({ months: 3 })]: 'quarter',
  [JSON.stringify({ months: 12 })]: 'year',
};

function wordFor({ length }: Every): string | undefined {
  return WORDS[JSON.stringify(length)];
}

function periodWord(every: Every, count: number): string {
  const word = wordFor(every);
  const plural = count === 1 ? '' : 's';
  if (word !== undefined) return `${word}${plural}`;
  const seconds = everySec(every);
  return `period${plural} of ${seconds === null ? every.text : formatDurationParts(seconds * 1000)}`;
}

/** The report as one document. Values are in `unit`, shares are parts of 1. */
export function reportJson(reported: Reported): string {
  const { metric, threshold, objective, unit, every, timeZone, sinceMs, untilMs, groups, history } = reported;
  const { unit: shown, scale } = shownUnitOf(unit);
  const bounds = (one: Bounds | undefined) => one && boundsJson(one);
  const period = ({ startMs, endMs, ...rest }: ObjectivePeriod) => ({
    startSec: startMs / 1000,
    endSec: endMs / 1000,
    start: isoTime(startMs, timeZone),
    ...rest,
    within: bounds(rest.within),
    share: bounds(rest.share) ?? null,
    burnRate: bounds(rest.burnRate) ?? null,
    budgetUsed: bounds(rest.budgetUsed),
  });
  return jsonDocument({
    metric,
    unit: shown,
    threshold: scaled(threshold, scale),
    objective,
    sinceSec: sinceMs / 1000,
    untilSec: untilMs / 1000,
    everySec: everySec(every),
    every: every.text,
    timeZone,
    groups: groups.map(({ attributes, divided, periods, total, verdicts }) => ({
      attributes,
      divided:
        divided === undefined
          ? null
          : boundsJson({ lower: scaled(divided.lower, scale), upper: scaled(divided.upper, scale) }),
      total: period(total),
      verdicts,
      periods: periods.map(period),
    })),
    ...missingJson(history),
  });
}

/** A line for each period of each group. Shares are parts of 1. */
export function reportCsv({ by, groups, timeZone }: Reported): string {
  const figures = ['lower', 'upper'];
  const header = [
    ...by,
    'start',
    'end',
    'values',
    ...['within', 'share', 'burn_rate', 'budget_used'].flatMap((name) =>
      figures.map((one) => `${name}_${one}`),
    ),
    'verdict',
  ];
  const lines = groups.flatMap(({ attributes, periods }) =>
    periods.map(({ startMs, endMs, count, within, share, burnRate, budgetUsed, verdict }) => [
      ...by.map((key) => attributes[key] ?? ''),
      isoTime(startMs, timeZone),
      isoTime(endMs, timeZone),
      count,
      ...[within, share, burnRate, budgetUsed].flatMap((one) => [one?.lower ?? '', one?.upper ?? '']),
      verdict,
    ]),
  );
  return [header, ...lines].map(csvLine).join('');
}
