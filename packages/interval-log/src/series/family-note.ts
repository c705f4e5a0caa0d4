import { resolutionOf } from '@hdrscope/core/internal';
import { Budget, type BudgetLimits, isObject, parseJson } from '@hdrscope/kit';
import type { Attributes, FamilyOptions, Scope } from '@hdrscope/registry';
import { formatComment } from '../writer/format.ts';

/** The description of a family in a comment of a log, from which its lines can be read back with their unit. */
export interface FamilyNote extends FamilyOptions {
  readonly unit: string;
  readonly description: string;
  readonly resolution: number;
  readonly significantDigits: number;
  /** Attributes that tags of this family have beside those of the series, because another family has the same name. */
  readonly tagAttributes?: Attributes;
}

/** Formats the comment of a family: `#[Family: {"name":"http.server.request.duration","unit":"s",…}]`. */
export function formatFamilyNote(note: FamilyNote): string {
  return formatComment(`[Family: ${jsonLine(note)}]`);
}

/** Formats JSON that stays one line for every reader. Java's ends lines at more characters than most. */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    LINE_ENDS,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

const LINE_ENDS = /[\u0085\u2028\u2029]/g;

// Attributes of a scope and of tags are the only lists of a note.
const LIMITS: BudgetLimits = { bytes: 2 ** 20, elements: 1000, depth: 16 };

/** Parses the text of a comment, without its `#`; `undefined` if it does not describe a family. */
export function parseFamilyNote(comment: string): FamilyNote | undefined {
  const json = /^\[Family: (\{.*\})\]$/.exec(comment.trim())?.[1];
  if (json === undefined) return undefined;
  try {
    const note = parseJson(json, 'the note', new Budget('the note', LIMITS));
    return isObject(note) ? asNote(note) : undefined;
  } catch {
    return undefined;
  }
}

/** @throws HdrscopeError when the resolution is out of range. */
function asNote(json: Record<string, unknown>): FamilyNote | undefined {
  const { name, unit, description, resolution, significantDigits, scope, tagAttributes } = json;
  if (typeof name !== 'string' || typeof unit !== 'string' || typeof description !== 'string')
    return undefined;
  if (typeof resolution !== 'number' || typeof significantDigits !== 'number') return undefined;
  resolutionOf(resolution);
  return {
    name,
    unit,
    description,
    resolution,
    significantDigits,
    ...(isObject(scope) && { scope: scope as unknown as Scope }),
    ...(isObject(tagAttributes) && { tagAttributes }),
  };
}

/** Whether a comment, without its `#`, is meant to describe a family. */
export function isFamilyNote(comment: string): boolean {
  return comment.trimStart().startsWith('[Family:');
}
