import type { Attributes, FamilyOptions } from '@hdrscope/registry';
import type { Comment, LogInterval } from '../reader/entry.ts';
import { type FamilyNote, parseFamilyNote } from '../series/family-note.ts';
import { parseSeriesTag, type SeriesTag } from '../series/series-tag.ts';

/** The series to which an interval belongs. */
export interface LoggedSeries {
  readonly family: FamilyOptions;
  readonly attributes: Attributes;
}

/** The families that comments of a log describe. */
export class LoggedFamilies {
  /** By name: families with tag attributes before the one without. */
  readonly #notes = new Map<string, FamilyNote[]>();

  /** Adds or replaces a family if the comment describes one. */
  add({ text }: Comment): void {
    const note = parseFamilyNote(text);
    if (note === undefined) return;
    const key = JSON.stringify(note.tagAttributes);
    const others = (this.#notes.get(note.name) ?? []).filter(
      ({ tagAttributes }) => JSON.stringify(tagAttributes) !== key,
    );
    this.#notes.set(note.name, note.tagAttributes === undefined ? [...others, note] : [note, ...others]);
  }

  /** Returns the series of an interval; `undefined` if its tag names no family of the log. */
  seriesOf({ tag }: Pick<LogInterval, 'tag'>): LoggedSeries | undefined {
    const parsed = tag === undefined ? undefined : parsedTag(tag);
    if (parsed === undefined) return undefined;
    for (const { tagAttributes = {}, ...family } of this.#notes.get(parsed.name) ?? []) {
      const attributes: Record<string, unknown> = { ...parsed.attributes };
      const isOfFamily = Object.entries(tagAttributes).every(([key, value]) => attributes[key] === value);
      if (!isOfFamily) continue;
      for (const key of Object.keys(tagAttributes)) delete attributes[key];
      return { family, attributes };
    }
    return undefined;
  }
}

function parsedTag(tag: string): SeriesTag | undefined {
  try {
    return parseSeriesTag(tag);
  } catch {
    return undefined;
  }
}
