import { mustBe } from '@hdrscope/core/internal';

/**
 * The tags that options select; `undefined` when they select all.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` unless they are a list. A text would select tags of one character each.
 */
export function tagSet(
  tags: Iterable<string | undefined> | undefined,
): ReadonlySet<string | undefined> | undefined {
  if (tags === undefined) return undefined;
  if (typeof tags === 'object' && tags !== null && Symbol.iterator in tags) return new Set(tags);
  throw mustBe('ERR_INVALID_OPTION', 'tags', 'a list of tags', tags);
}
