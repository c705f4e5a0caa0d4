import { visible } from '@hdrscope/core/internal';

const LONGEST_NAME = 100;

/** A name of a dump as messages and notes show it: without control characters, and cut where it is long. */
export function shownName(name: string): string {
  return visible(name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name);
}

/** The path of a part of a dump. @param names Names of the dump, from outside to inside. */
export function pathOf(...names: readonly (string | undefined)[]): string {
  return names
    .filter((name) => name !== undefined)
    .map(shownName)
    .join('.');
}
