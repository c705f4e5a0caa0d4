import { HdrscopeError } from '@hdrscope/core';
import { visible } from '@hdrscope/core/internal';
import type { Attributes, FamilyOptions } from '@hdrscope/registry';
import { lineError } from '../errors.ts';
import type { LogComment, LogInterval } from '../reader/entry.ts';
import { type FamilyNote, isFamilyNote, parseFamilyNote } from '../series/family-note.ts';
import { parseSeriesTag, type SeriesTag } from '../series/series-tag.ts';

/** The series to which an interval belongs. */
export interface LoggedSeries {
  /** The family that takes the values. It is made when it does not exist. */
  readonly family: FamilyOptions;
  /** The attributes of the series within the family. */
  readonly attributes: Attributes;
}

/** The families that comments of a log describe. */
export class LoggedFamilies {
  /** By name, then by their tag attributes as JSON: families with tag attributes before the one without. */
  readonly #notes = new Map<string, Map<string, FamilyNote>>();
  #families = 0;
  #characters = 0;

  /**
   * Adds a family if the comment describes one. A family keeps its first description: the lines of a log with one broken note
   * still count where they belong.
   *
   * @returns The error of a note that has no effect: it cannot be read, differs from the first one, or is one too many.
   */
  add({ text, lineNumber }: LogComment): HdrscopeError | undefined {
    const note = parseFamilyNote(text);
    if (note === undefined) return isFamilyNote(text) ? unreadable(lineNumber) : undefined;
    const key = note.tagAttributes === undefined ? WITHOUT_TAGS : JSON.stringify(note.tagAttributes);
    const all = this.#notes.get(note.name);
    const first = all?.get(key);
    if (first !== undefined && canBeCounted(first)) return conflict(first, note, lineNumber);
    if (first === undefined) {
      if (this.#families === MOST_FAMILIES)
        return tooMany(lineNumber, `${MOST_FAMILIES} families`, MOST_FAMILIES);
      if (all?.size === MOST_OF_A_NAME) {
        return tooMany(lineNumber, `${MOST_OF_A_NAME} families of one name`, MOST_OF_A_NAME);
      }
    }
    if (this.#characters + text.length > MOST_CHARACTERS) {
      return tooMany(lineNumber, `families in ${MOST_CHARACTERS} characters`, MOST_CHARACTERS);
    }
    this.#characters += text.length;
    if (first === undefined) this.#families++;
    const notes = all ?? new Map<string, FamilyNote>();
    const last = notes.get(WITHOUT_TAGS);
    notes.set(key, note);
    if (last !== undefined) {
      // The last place is that of the family without tag attributes.
      notes.delete(WITHOUT_TAGS);
      notes.set(WITHOUT_TAGS, key === WITHOUT_TAGS ? note : last);
    }
    this.#notes.set(note.name, notes);
    return undefined;
  }

  /** Returns the series of an interval; `undefined` if its tag names no family of the log. */
  seriesOf({ tag }: Pick<LogInterval, 'tag'>): LoggedSeries | undefined {
    const parsed = tag === undefined ? undefined : parsedTag(tag);
    if (parsed === undefined) return undefined;
    for (const { tagAttributes = {}, ...family } of this.#notes.get(parsed.name)?.values() ?? []) {
      const attributes: Record<string, unknown> = { ...parsed.attributes };
      const isOfFamily = Object.entries(tagAttributes).every(([key, value]) => attributes[key] === value);
      if (!isOfFamily) continue;
      for (const key of Object.keys(tagAttributes)) delete attributes[key];
      return { family, attributes };
    }
    return undefined;
  }
}

const WITHOUT_TAGS = '';

// A registry of a service has hundreds of families, each described in 200 characters. Families share a name where several meters of a
// service have an instrument of it.
const MOST_FAMILIES = 10_000;
const MOST_OF_A_NAME = 100;
const MOST_CHARACTERS = 2 ** 23;

function tooMany(line: number, allowed: string, most: number): HdrscopeError {
  const message = `a log must describe at most ${allowed}: intervals of this one have no unit`;
  return lineError('ERR_LOG_FORMAT', line, message, { details: { most } });
}

function canBeCounted({ significantDigits }: FamilyNote): boolean {
  return Number.isInteger(significantDigits) && significantDigits >= 0 && significantDigits <= 5;
}

function unreadable(line: number): HdrscopeError {
  const message = 'must describe a family, and cannot be read: intervals of this family have no unit';
  return lineError('ERR_LOG_FORMAT', line, message);
}

/** Options of which a family has one value. */
const FIXED = ['unit', 'resolution', 'significantDigits'] as const;

function conflict(first: FamilyNote, note: FamilyNote, line: number): HdrscopeError | undefined {
  const option = FIXED.find((one) => first[one] !== note[one]);
  if (option === undefined) return undefined;
  const { name } = note;
  const [registered, got] = [first[option], note[option]];
  const family = `the family ${JSON.stringify(name)}`;
  const message = visible(
    `line ${line}: ${family} keeps its ${option} ${JSON.stringify(registered)}, got ${JSON.stringify(got)}; give other values another name`,
  );
  return new HdrscopeError('ERR_ALREADY_REGISTERED', message, {
    details: { line, name, option, registered, got },
  });
}

function parsedTag(tag: string): SeriesTag | undefined {
  try {
    return parseSeriesTag(tag);
  } catch {
    return undefined;
  }
}
