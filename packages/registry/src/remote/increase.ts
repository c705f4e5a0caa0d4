import { malformed } from '@hdrscope/core/internal';
import { asArray, asCount, asFinite, asObject, type Budget, type Steps } from '@hdrscope/kit';
import type { EstimatedCounts } from '../estimated.ts';
import type { Exemplar } from '../exemplars.ts';
import { ReachList, type SlotReaches } from '../reach.ts';
import { type RejectedCounts, rejectedCount } from '../rejected.ts';
import type { Snapshot } from '../snapshot.ts';
import { asMeasure, asTime, measureToJson } from './fields.ts';
import { type Numbers, NumbersWriter, readNumbers, type WireNumbers } from './numbers.ts';
import type { SeriesIds } from './series-ids.ts';
import { attributesFromJson, attributesToJson, type WireAttributes } from './wire-attributes.ts';

/** A state of a registry. */
export interface NumberedState {
  /** The states of a registry are numbered from 1; the state 0 is before the first one. */
  readonly sequence: number;
  /** `undefined` when it is not known any more. */
  readonly snapshot: Snapshot | undefined;
}

/** Everything that a registry has counted between two of its states. */
export interface WireIncrease extends WireNumbers {
  /** The sequence of the earlier state. */
  readonly from: number;
  /** The sequence of the later state. */
  readonly to: number;
  /** Whether the earlier state is not known any more, so that nothing could be compared. */
  readonly isLost: boolean;
  readonly rejected: readonly WireRejected[];
  readonly exemplars: readonly WireExemplar[];
  readonly reaches: readonly WireReach[];
  readonly estimated: readonly WireEstimated[];
}

/** See `SeriesSnapshot.reaches`. */
type WireReach = readonly [id: number, slot: number, first: number, last: number];

/** See `SeriesSnapshot.estimated`. */
type WireEstimated = readonly [id: number, sum: number, min: number, max: number, weight?: number];

type WireRejected = readonly [
  id: number,
  notANumber: number,
  negative: number,
  tooLarge: number,
  largest: number | string,
  overflowing: number,
];

type WireExemplar = readonly [id: number, value: number, timeMs: number, attributes: WireAttributes];

/** A `WireIncrease` that was received and checked. */
export interface ReceivedIncrease {
  readonly numbers: Numbers;
  readonly rejected: readonly (readonly [id: number, RejectedCounts])[];
  readonly exemplars: readonly (readonly [id: number, Exemplar])[];
  /** By the id of the series. */
  readonly reaches: ReadonlyMap<number, SlotReaches>;
  /** By the id of the series. */
  readonly estimated: ReadonlyMap<number, EstimatedCounts>;
}

const MOST_SERIES = 1_000_000;
const MOST_EXEMPLARS = 20 * MOST_SERIES;
const MOST_REACHES = 20 * MOST_SERIES;

/** How an increase is made. */
export interface IncreaseOptions {
  readonly ids: SeriesIds;
  /** Whether the port takes no buffers. */
  readonly isText: boolean;
}

/** Compares two states. */
export function* increaseBetween(
  before: NumberedState,
  now: NumberedState,
  { ids, isText }: IncreaseOptions,
): Steps<WireIncrease> {
  const numbers = new NumbersWriter();
  const rejected: WireRejected[] = [];
  const exemplars: WireExemplar[] = [];
  const reaches: WireReach[] = [];
  const estimated: WireEstimated[] = [];
  const isLost = before.snapshot === undefined;
  const changes = isLost ? [] : now.snapshot!.changesSince(before.snapshot);
  let family = 0;
  for (const { series } of changes) {
    for (const increase of series) {
      const id = ids.idOf(family, increase);
      if (increase.counts.total > 0) numbers.add(id, increase.counts, increase);
      for (const one of rejectedToJson(id, increase.rejected)) rejected.push(one);
      for (const one of exemplarsToJson(id, increase.exemplars)) exemplars.push(one);
      for (const [slot, { first, last }] of increase.reaches ?? []) {
        if (increase.counts.at(slot) > 0) reaches.push([id, slot, first, last]);
      }
      if (increase.estimated !== undefined) {
        const { sum, min, max, weight } = increase.estimated;
        estimated.push(weight === undefined ? [id, sum, min, max] : [id, sum, min, max, weight]);
      }
      yield;
    }
    family++;
  }
  return {
    from: before.sequence,
    to: now.sequence,
    isLost,
    rejected,
    exemplars,
    reaches,
    estimated,
    ...numbers.take(isText),
  };
}

/**
 * @param seriesCount The number of known series: all ids are below it.
 * @param budget The rest of the budget of the message.
 * @throws HdrscopeError `ERR_DECODE`; `ERR_TOO_LARGE`
 */
export function readIncrease(
  wire: WireIncrease,
  where: string,
  seriesCount: number,
  budget: Budget,
): ReceivedIncrease {
  const listAt = (value: unknown, at: string, most: number): readonly unknown[] => {
    const list = asArray(value, at, most);
    budget.takeElements(list.length);
    return list;
  };
  const idAt = (value: unknown, at: string): number => {
    const id = asCount(value, at);
    if (id >= seriesCount) throw malformed(at, `the id of one of ${seriesCount} series`, id);
    return id;
  };
  return {
    numbers: readNumbers(wire, where, seriesCount, budget),
    rejected: listAt(wire.rejected, `${where}.rejected`, MOST_SERIES).map((json, i) => {
      const at = `${where}.rejected[${i}]`;
      const fields = asArray(json, at, 6);
      return [idAt(fields[0], `${at}[0]`), rejectedFromJson(fields, at)];
    }),
    exemplars: listAt(wire.exemplars, `${where}.exemplars`, MOST_EXEMPLARS).map((json, i) => {
      const at = `${where}.exemplars[${i}]`;
      const fields = asArray(json, at, 4);
      return [idAt(fields[0], `${at}[0]`), exemplarFromJson(fields, at, budget)];
    }),
    reaches: reachesFromJson(
      listAt(wire.reaches, `${where}.reaches`, MOST_REACHES),
      `${where}.reaches`,
      idAt,
    ),
    estimated: new Map(
      listAt(wire.estimated, `${where}.estimated`, MOST_SERIES).map((json, i) => {
        const at = `${where}.estimated[${i}]`;
        const fields = asArray(json, at, 5);
        const nths = fields.length > 4 ? [1, 2, 3, 4] : [1, 2, 3];
        const [sum, min, max, weight] = nths.map((nth) => asCount(fields[nth], `${at}[${nth}]`));
        return [idAt(fields[0], `${at}[0]`), { sum: sum!, min: min!, max: max!, weight }];
      }),
    ),
  };
}

function reachesFromJson(
  list: readonly unknown[],
  where: string,
  idAt: (value: unknown, at: string) => number,
): ReceivedIncrease['reaches'] {
  const reaches = new Map<number, ReachList>();
  for (const [i, json] of list.entries()) {
    const at = `${where}[${i}]`;
    const fields = asArray(json, at, 4);
    const id = idAt(fields[0], `${at}[0]`);
    const [slot, first, last] = [1, 2, 3].map((nth) => asCount(fields[nth], `${at}[${nth}]`)) as [
      number,
      number,
      number,
    ];
    const ofSeries = reaches.get(id) ?? new ReachList();
    reaches.set(id, ofSeries);
    ofSeries.widen(slot, { first: Math.min(first, slot), last: Math.max(last, slot) });
  }
  return reaches;
}

/** Checks the envelope of an increase. @throws HdrscopeError `ERR_DECODE` */
export function asIncrease(json: unknown, where: string): WireIncrease {
  const fields = asObject(json, where);
  const from = asCount(fields.from, `${where}.from`);
  const to = asCount(fields.to, `${where}.to`);
  if (to <= from) throw malformed(`${where}.to`, `above ${from}`, to);
  const { isLost } = fields;
  if (typeof isLost !== 'boolean') throw malformed(`${where}.isLost`, 'a boolean', isLost);
  return { ...(fields as unknown as WireIncrease), from, to, isLost };
}

function rejectedToJson(id: number, rejected: RejectedCounts): WireRejected[] {
  if (rejectedCount(rejected) === 0) return [];
  const { notANumber, negative, tooLarge, largest, overflowing } = rejected;
  return [[id, notANumber, negative, tooLarge, measureToJson(largest), overflowing]];
}

function rejectedFromJson(fields: readonly unknown[], where: string): RejectedCounts {
  return {
    notANumber: asCount(fields[1], `${where}[1]`),
    negative: asCount(fields[2], `${where}[2]`),
    tooLarge: asCount(fields[3], `${where}[3]`),
    largest: asMeasure(fields[4], `${where}[4]`),
    overflowing: asCount(fields[5], `${where}[5]`),
  };
}

function exemplarsToJson(id: number, exemplars: readonly Exemplar[]): WireExemplar[] {
  return exemplars.map(({ value, timeMs, attributes }) => [id, value, timeMs, attributesToJson(attributes)]);
}

function exemplarFromJson(fields: readonly unknown[], where: string, budget: Budget): Exemplar {
  return {
    value: asFinite(fields[1], `${where}[1]`),
    timeMs: asTime(fields[2], `${where}[2]`),
    attributes: attributesFromJson(fields[3], `${where}[3]`, budget),
  };
}
