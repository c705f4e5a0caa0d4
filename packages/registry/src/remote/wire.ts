import { fromTicks } from '@hdrscope/core/internal';
import {
  asArray,
  asCount,
  asFinite,
  asObject,
  asText,
  isObject,
  type JsonObject,
  LONGEST_TIMER_MS,
  reasonOf,
} from '@hdrscope/kit';
import type { Exemplar } from '../exemplars.ts';
import type { FamilySnapshot } from '../family.ts';
import type { FamilyOptions, Scope } from '../family-options.ts';
import type { Rejected } from '../rejected.ts';
import type { SeriesSnapshot } from '../series-snapshot.ts';
import type { Snapshot } from '../snapshot.ts';
import { encodedHistogram } from './encoded-histogram.ts';
import { asMeasure, asOptionalText, asTime, malformed, measureToJson } from './fields.ts';
import { attributesFromJson, attributesToJson, type WireAttributes } from './wire-attributes.ts';

// The two ends of a port may exchange other messages too, so all messages of a registry have a mark. They are plain
// JSON, because the IPC of processes sends nothing else by default.
//
//   main  { hdrscope: 'collect', version, request, timeoutMs }  ─▶  remote
//   main  ◀─  { hdrscope: 'state', version, request, … }            remote
//
// States are cumulative, so a state that is lost, late or repeated does no harm.
const VERSION = 1;

/** Asks a remote registry for its state. */
export interface CollectMessage {
  readonly hdrscope: 'collect';
  readonly version: typeof VERSION;
  /** At least 1. The answer repeats it. */
  readonly request: number;
  /** How long the sender waits for the answer, in milliseconds. */
  readonly timeoutMs: number;
}

/** The state of a remote registry. */
export interface StateMessage {
  readonly hdrscope: 'state';
  readonly version: typeof VERSION;
  /** The request that is answered; 0 when there was no request. */
  readonly request: number;
  /** Names the registry, not the port: another instance starts from zero. */
  readonly instance: string;
  /** The number of this state among those of the instance, from 1. */
  readonly sequence: number;
  /** Whether no more states will come. */
  readonly isLast: boolean;
  readonly timeMs: number;
  readonly families: readonly StateFamily[];
  /** The errors of the snapshot in the remote registry. */
  readonly errors: readonly string[];
}

/** A family with its series. */
export interface StateFamily {
  readonly name: string;
  readonly unit: string;
  readonly description: string;
  /** The step between two values, in the unit. */
  readonly resolution: number;
  readonly significantDigits: number;
  readonly cardinalityLimit: number;
  readonly scope: Scope | undefined;
  readonly boundaries: readonly number[] | undefined;
  readonly series: readonly StateSeries[];
}

/** A `SeriesSnapshot` as JSON. */
export interface StateSeries {
  readonly attributes: WireAttributes;
  readonly startTimeMs: number;
  /** The V2 encoding as base64. Not compressed: on one machine, compression takes far more time than it saves. */
  readonly histogram: string;
  readonly sum: number | string;
  readonly min: number | string;
  readonly max: number | string;
  readonly rejected: Record<keyof Rejected, number | string>;
  readonly exemplars: readonly StateExemplar[];
}

/** An exemplar as JSON. */
export interface StateExemplar extends Omit<Exemplar, 'attributes'> {
  readonly attributes: WireAttributes;
}

/** A state that was received. */
export interface ReceivedState extends Omit<StateMessage, 'families'> {
  readonly families: readonly ReceivedFamily[];
}

export interface ReceivedFamily
  extends Required<Omit<FamilyOptions, 'scope' | 'boundaries' | 'expireAfterMs'>> {
  readonly scope: Scope | undefined;
  readonly boundaries: readonly number[] | undefined;
  readonly series: readonly ReceivedSeries[];
}

/** A received series, whose histogram is not decoded yet. */
export interface ReceivedSeries extends Omit<SeriesSnapshot, 'histogram' | 'layout' | 'counts'> {
  readonly histogram: string;
}

// Far above the contents of any registry, and far below a size that would exhaust the memory of the receiver.
const MOST_FAMILIES = 100_000;
const MOST_SERIES = 1_000_000;
const MOST_BOUNDARIES = 10_000;
const MOST_EXEMPLARS = 1000;
const MOST_ERRORS = 100;

/** An infinite timeout becomes the longest one that a timer takes. */
export function collectMessage(request: number, timeoutMs: number): CollectMessage {
  return { hdrscope: 'collect', version: VERSION, request, timeoutMs: Math.min(timeoutMs, LONGEST_TIMER_MS) };
}

/**
 * Reads a request for a state; `undefined` for any other message.
 *
 * @throws HdrscopeError `ERR_DECODE` when the request is malformed.
 */
export function readCollect(message: unknown): CollectMessage | undefined {
  if (!isMarked(message, 'collect')) return undefined;
  assertVersion(message);
  const request = asCount(message.request, 'collect.request');
  const timeoutMs = asFinite(message.timeoutMs, 'collect.timeoutMs');
  if (!(timeoutMs > 0 && timeoutMs <= LONGEST_TIMER_MS)) {
    throw malformed('collect.timeoutMs', `above 0 and at most ${LONGEST_TIMER_MS}`, timeoutMs);
  }
  return collectMessage(request, timeoutMs);
}

/** The parts of a state that its snapshot does not have. */
export interface StateOptions extends Pick<StateMessage, 'request' | 'instance' | 'sequence' | 'isLast'> {
  readonly cardinalityLimitOf: (family: FamilySnapshot) => number;
}

export function stateMessage(snapshot: Snapshot, options: StateOptions): StateMessage {
  const { request, instance, sequence, isLast, cardinalityLimitOf } = options;
  return {
    hdrscope: 'state',
    version: VERSION,
    request,
    instance,
    sequence,
    isLast,
    timeMs: snapshot.timeMs,
    families: snapshot.families.map((family) => familyToJson(family, cardinalityLimitOf(family))),
    errors: snapshot.errors.slice(0, MOST_ERRORS).map(({ source, error }) => `${source}: ${reasonOf(error)}`),
  };
}

/**
 * Reads the state of a remote registry; `undefined` for any other message.
 *
 * @throws HdrscopeError `ERR_DECODE` when the state is malformed.
 */
export function readState(message: unknown): ReceivedState | undefined {
  if (!isMarked(message, 'state')) return undefined;
  assertVersion(message);
  const { isLast } = message;
  if (typeof isLast !== 'boolean') throw malformed('state.isLast', 'a boolean', isLast);
  const instance = asText(message.instance, 'state.instance');
  if (instance === '') throw malformed('state.instance', 'a text, not empty', instance);
  return {
    hdrscope: 'state',
    version: VERSION,
    request: asCount(message.request, 'state.request'),
    instance,
    sequence: asCount(message.sequence, 'state.sequence'),
    isLast,
    timeMs: asTime(message.timeMs, 'state.timeMs'),
    families: asArray(message.families, 'state.families', MOST_FAMILIES).map((family, i) =>
      readFamily(family, `state.families[${i}]`),
    ),
    errors: asArray(message.errors, 'state.errors', MOST_ERRORS).map((error, i) =>
      asText(error, `state.errors[${i}]`),
    ),
  };
}

function isMarked(message: unknown, kind: 'collect' | 'state'): message is JsonObject {
  return isObject(message) && message.hdrscope === kind;
}

function assertVersion({ hdrscope, version }: JsonObject): void {
  if (version !== VERSION) throw malformed(`${String(hdrscope)}.version`, String(VERSION), version);
}

function familyToJson(family: FamilySnapshot, cardinalityLimit: number): StateFamily {
  const { name, unit, description, resolution, layout, scope, boundaries, series } = family;
  return {
    name,
    unit,
    description,
    resolution: fromTicks(resolution, 1),
    significantDigits: layout.significantDigits,
    cardinalityLimit,
    scope,
    boundaries,
    series: series.map(seriesToJson),
  };
}

function seriesToJson(series: SeriesSnapshot): StateSeries {
  const { rejected } = series;
  return {
    attributes: attributesToJson(series.attributes),
    startTimeMs: series.startTimeMs,
    histogram: encodedHistogram(series),
    sum: measureToJson(series.sum),
    min: measureToJson(series.min),
    max: measureToJson(series.max),
    rejected: { ...rejected, largest: measureToJson(rejected.largest) },
    exemplars: series.exemplars.map(({ value, timeMs, attributes }) => ({
      value,
      timeMs,
      attributes: attributesToJson(attributes),
    })),
  };
}

function readFamily(json: unknown, where: string): ReceivedFamily {
  const fields = asObject(json, where);
  const name = asText(fields.name, `${where}.name`);
  if (name === '') throw malformed(`${where}.name`, 'a text, not empty', name);
  return {
    name,
    unit: asText(fields.unit, `${where}.unit`),
    description: asText(fields.description, `${where}.description`),
    resolution: asFinite(fields.resolution, `${where}.resolution`),
    significantDigits: asCount(fields.significantDigits, `${where}.significantDigits`),
    cardinalityLimit: asCount(fields.cardinalityLimit, `${where}.cardinalityLimit`),
    scope: readScope(fields.scope, `${where}.scope`),
    boundaries: readBoundaries(fields.boundaries, `${where}.boundaries`),
    series: asArray(fields.series, `${where}.series`, MOST_SERIES).map((series, i) =>
      readSeries(series, `${where}.series[${i}]`),
    ),
  };
}

function readScope(json: unknown, where: string): Scope | undefined {
  if (json === undefined || json === null) return undefined;
  const fields = asObject(json, where);
  const version = asOptionalText(fields.version, `${where}.version`);
  const schemaUrl = asOptionalText(fields.schemaUrl, `${where}.schemaUrl`);
  return {
    name: asText(fields.name, `${where}.name`),
    ...(version !== undefined && { version }),
    ...(schemaUrl !== undefined && { schemaUrl }),
  };
}

function readBoundaries(json: unknown, where: string): readonly number[] | undefined {
  if (json === undefined || json === null) return undefined;
  return asArray(json, where, MOST_BOUNDARIES).map((boundary, i) => asFinite(boundary, `${where}[${i}]`));
}

function readSeries(json: unknown, where: string): ReceivedSeries {
  const fields = asObject(json, where);
  return {
    attributes: attributesFromJson(fields.attributes, `${where}.attributes`),
    startTimeMs: asTime(fields.startTimeMs, `${where}.startTimeMs`),
    histogram: asText(fields.histogram, `${where}.histogram`),
    sum: asMeasure(fields.sum, `${where}.sum`),
    min: asMeasure(fields.min, `${where}.min`),
    max: asMeasure(fields.max, `${where}.max`),
    rejected: readRejected(asObject(fields.rejected, `${where}.rejected`), `${where}.rejected`),
    exemplars: asArray(fields.exemplars, `${where}.exemplars`, MOST_EXEMPLARS).map((exemplar, i) =>
      readExemplar(exemplar, `${where}.exemplars[${i}]`),
    ),
  };
}

function readExemplar(json: unknown, where: string): Exemplar {
  const fields = asObject(json, where);
  return {
    value: asFinite(fields.value, `${where}.value`),
    timeMs: asTime(fields.timeMs, `${where}.timeMs`),
    attributes: attributesFromJson(fields.attributes, `${where}.attributes`),
  };
}

function readRejected(fields: JsonObject, where: string): Rejected {
  return {
    notANumber: asCount(fields.notANumber, `${where}.notANumber`),
    negative: asCount(fields.negative, `${where}.negative`),
    tooLarge: asCount(fields.tooLarge, `${where}.tooLarge`),
    largest: asMeasure(fields.largest, `${where}.largest`),
    overflowing: asCount(fields.overflowing, `${where}.overflowing`),
  };
}
