import { HdrscopeError } from '@hdrscope/core';
import { malformed, visible } from '@hdrscope/core/internal';
import {
  asArray,
  asCount,
  asFinite,
  asObject,
  asText,
  Budget,
  type BudgetLimits,
  isObject,
  type JsonObject,
  LONGEST_TIMER_MS,
} from '@hdrscope/kit';
import type { WireFamily, WireSeries } from './definitions.ts';
import { asTime } from './fields.ts';
import { asIncrease, type WireIncrease } from './increase.ts';

// The two ends of a port may exchange other messages too, so all messages of a registry have a mark.
//
//   main  { hdrscope: 'collect', version, request, timeoutMs, asker, known }  ─▶  remote
//   main  ◀─  { hdrscope: 'changes', version, request, asker, instance, … }       remote
//   main  ◀─  { hdrscope: 'refusal', version, request, asker, error }             remote, when it cannot answer
//
// States of a remote registry are numbered. An answer has a chain of increases, from each state that the asker may have taken to the
// next one. The asker takes each increase that begins at the state that it has, and acknowledges its state when it asks again. So an
// answer that is lost, late or repeated does no harm.
const VERSION = 2;

/** The state of an instance that the asker knows. */
export interface KnownState {
  readonly instance: string;
  /** The state that the asker has taken; 0 at first. */
  readonly sequence: number;
  /** The number of families that the asker knows. */
  readonly families: number;
  /** The generation of the ids that the asker knows. */
  readonly generation: number;
  /** The number of series that the asker knows. */
  readonly series: number;
}

/** Asks a remote registry for its changes. */
export interface CollectMessage {
  readonly hdrscope: 'collect';
  readonly version: typeof VERSION;
  /** At least 1. The answer repeats it. */
  readonly request: number;
  /** How long the sender waits for the answer, in milliseconds. */
  readonly timeoutMs: number;
  /** Names the registry that asks, not the port. */
  readonly asker: string;
  /** `undefined` until the first answer through this port. */
  readonly known: KnownState | undefined;
}

/** The changes of a remote registry. */
export interface ChangesMessage {
  readonly hdrscope: 'changes';
  readonly version: typeof VERSION;
  /** The request that is answered; 0 when there was no request. */
  readonly request: number;
  /** The registry that the changes are for; empty when no registry has asked. */
  readonly asker: string;
  /** Names the registry, not the port: another instance starts from zero. */
  readonly instance: string;
  /** Whether no more changes will come through this port. */
  readonly isLast: boolean;
  readonly timeMs: number;
  /** The number of the first of `families`. */
  readonly firstFamily: number;
  /** The families that the asker does not know. */
  readonly families: readonly WireFamily[];
  /** The generation of all ids: see `SeriesIds`. */
  readonly generation: number;
  /** The id of the first of `series`. */
  readonly firstSeries: number;
  /** The series that the asker does not know. */
  readonly series: readonly WireSeries[];
  /** A chain: each increase begins where the one before ends. */
  readonly increases: readonly WireIncrease[];
  /** The errors of the snapshot in the remote registry. */
  readonly errors: readonly string[];
}

/** Changes that were received. Definitions and the contents of increases are not checked yet. */
export interface ReceivedChanges extends Omit<ChangesMessage, 'families' | 'series'> {
  readonly families: readonly unknown[];
  readonly series: readonly unknown[];
  /** The rest of the budget of the message, for the parts that are not checked yet. */
  readonly budget: Budget;
}

/** A question that the remote registry could not answer. */
export interface ReceivedRefusal {
  /** The request that is refused; 0 when its number could not be read. */
  readonly request: number;
  /** The registry that has asked; empty when its name could not be read. */
  readonly asker: string;
  readonly error: string;
}

// Far above the contents of any registry, and far below a size that would exhaust the memory of the receiver.
export const MOST_FAMILIES = 100_000;
export const MOST_SERIES = 1_000_000;
const MOST_INCREASES = 100;
export const MOST_ERRORS = 100;
const LONGEST_NAME = 100;
const LONGEST_ERROR = 1000;

/** Limits of one message: its items in all lists, and the bytes of its numbers. */
const MESSAGE_LIMITS: BudgetLimits = { elements: 10_000_000, bytes: 2 ** 30 };

/** An infinite timeout becomes the longest one that a timer takes. */
export function collectMessage({
  timeoutMs,
  ...rest
}: Omit<CollectMessage, 'hdrscope' | 'version'>): CollectMessage {
  return {
    hdrscope: 'collect',
    version: VERSION,
    timeoutMs: Math.min(timeoutMs, LONGEST_TIMER_MS),
    ...rest,
  };
}

/**
 * Reads a question for changes; `undefined` for any other message.
 *
 * @throws HdrscopeError `ERR_DECODE` when the question is malformed.
 */
export function readCollect(message: unknown): CollectMessage | undefined {
  if (!isMarked(message, 'collect')) return undefined;
  assertVersion(message);
  const timeoutMs = asFinite(message.timeoutMs, 'collect.timeoutMs');
  if (!(timeoutMs > 0 && timeoutMs <= LONGEST_TIMER_MS)) {
    throw malformed('collect.timeoutMs', `above 0 and at most ${LONGEST_TIMER_MS}`, timeoutMs);
  }
  return collectMessage({
    request: asCount(message.request, 'collect.request'),
    timeoutMs,
    asker: asName(message.asker, 'collect.asker'),
    known: readKnown(message.known),
  });
}

export function changesMessage(fields: Omit<ChangesMessage, 'hdrscope' | 'version'>): ChangesMessage {
  return { hdrscope: 'changes', version: VERSION, ...fields };
}

/**
 * Reads the changes of a remote registry; `undefined` for any other message.
 *
 * @throws HdrscopeError `ERR_DECODE` when the message is malformed, or of another version.
 */
export function readChanges(message: unknown): ReceivedChanges | undefined {
  // Version 1 sent states.
  if (!isMarked(message, 'changes') && !isMarked(message, 'state')) return undefined;
  assertVersion(message);
  const { isLast } = message;
  if (typeof isLast !== 'boolean') throw malformed('changes.isLast', 'a boolean', isLast);
  const budget = new Budget('a message of a remote registry', MESSAGE_LIMITS);
  const listAt = (list: unknown, where: string, most: number): readonly unknown[] => {
    const items = asArray(list, where, most);
    budget.takeElements(items.length);
    return items;
  };
  return {
    hdrscope: 'changes',
    version: VERSION,
    budget,
    request: asCount(message.request, 'changes.request'),
    asker: message.asker === '' ? '' : asName(message.asker, 'changes.asker'),
    instance: asName(message.instance, 'changes.instance'),
    isLast,
    timeMs: asTime(message.timeMs, 'changes.timeMs'),
    firstFamily: asCount(message.firstFamily, 'changes.firstFamily'),
    families: listAt(message.families, 'changes.families', MOST_FAMILIES),
    generation: asCount(message.generation, 'changes.generation'),
    firstSeries: asCount(message.firstSeries, 'changes.firstSeries'),
    series: listAt(message.series, 'changes.series', MOST_SERIES),
    increases: listAt(message.increases, 'changes.increases', MOST_INCREASES).map((increase, i) =>
      asIncrease(increase, `changes.increases[${i}]`),
    ),
    errors: listAt(message.errors, 'changes.errors', MOST_ERRORS).map((error, i) =>
      shownError(error, `changes.errors[${i}]`),
    ),
  };
}

/** The answer to a question of another version, which both versions read as an error; `undefined` for any other message. */
export function refusalOf(message: unknown): object | undefined {
  if (!isMarked(message, 'collect') || message.version === VERSION) return undefined;
  return { hdrscope: 'state', version: VERSION, request: requestIn(message) };
}

/** The message that a question cannot be answered. Fields of the question that cannot be read are left empty. */
export function refusalMessage(question: unknown, error: string): object {
  const fields = isObject(question) ? question : {};
  const { asker } = fields;
  return {
    hdrscope: 'refusal',
    version: VERSION,
    request: requestIn(fields),
    asker: typeof asker === 'string' && asker.length <= LONGEST_NAME ? asker : '',
    error,
  };
}

/** The number of a request; 0 when it cannot be read. */
function requestIn({ request }: JsonObject): number {
  return Number.isSafeInteger(request) && (request as number) >= 0 ? (request as number) : 0;
}

/**
 * Reads the refusal of a question; `undefined` for any other message.
 *
 * @throws HdrscopeError `ERR_DECODE` when the refusal is malformed.
 */
export function readRefusal(message: unknown): ReceivedRefusal | undefined {
  if (!isMarked(message, 'refusal')) return undefined;
  return {
    request: asCount(message.request, 'refusal.request'),
    asker: message.asker === '' ? '' : asName(message.asker, 'refusal.asker'),
    error: shownError(message.error, 'refusal.error'),
  };
}

/** The buffers of a message, which a port may hand over instead of copying them. */
export function buffersOf({ increases }: ChangesMessage): ArrayBuffer[] {
  return increases.flatMap(({ facts, words }) => [facts, words]).filter((one) => typeof one !== 'string');
}

function isMarked(
  message: unknown,
  kind: 'collect' | 'changes' | 'state' | 'refusal',
): message is JsonObject {
  return isObject(message) && message.hdrscope === kind;
}

function assertVersion({ hdrscope, version }: JsonObject): void {
  if (version === VERSION && hdrscope !== 'state') return;
  // It may be an object that has no text.
  const got = typeof version === 'number' ? version : 'unknown';
  const message = `both sides must have the same version of @hdrscope/registry, got a message of version ${got}`;
  throw new HdrscopeError('ERR_DECODE', `${message}: this side has version ${VERSION} of the messages`);
}

function shownError(value: unknown, where: string): string {
  const text = asText(value, where);
  return visible(text.length > LONGEST_ERROR ? `${text.slice(0, LONGEST_ERROR)}…` : text, { lines: true });
}

function readKnown(json: unknown): KnownState | undefined {
  if (json === undefined || json === null) return undefined;
  const fields = asObject(json, 'collect.known');
  return {
    instance: asName(fields.instance, 'collect.known.instance'),
    sequence: asCount(fields.sequence, 'collect.known.sequence'),
    families: asCount(fields.families, 'collect.known.families'),
    generation: asCount(fields.generation, 'collect.known.generation'),
    series: asCount(fields.series, 'collect.known.series'),
  };
}

function asName(value: unknown, where: string): string {
  const name = asText(value, where);
  if (name !== '' && name.length <= LONGEST_NAME) return name;
  throw malformed(where, `a text of 1 to ${LONGEST_NAME} characters`, name);
}
