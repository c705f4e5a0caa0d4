import type { LogEntry } from '../reader/entry.ts';
import type { FollowNote } from './followed-log.ts';

const NOTES: Readonly<Record<string, string>> = {
  missing: 'does not exist yet: waiting for it',
  truncated: 'was truncated: reading it from its start',
  replaced: 'is another file now: reading it from its start',
};

const LOSSES: Readonly<Record<string, string>> = {
  truncated: 'was truncated, and no rotated file has the lines before: some may be lost',
  replaced: 'was replaced more often than it was read: some lines may be lost',
  unreadable: 'has a rotated file that is cut short or broken: some lines may be lost',
} satisfies Record<NonNullable<FollowNote['reason']>, string>;

/** Whether an entry of a followed log is a note, and no line of it. */
export function isFollowNote(entry: LogEntry | FollowNote): entry is FollowNote {
  return !('lineNumber' in entry);
}

/** A sentence about what happened to a followed log; `undefined` for an entry that needs no sentence. */
export function followNoteText(
  { kind, reason }: { readonly kind: string; readonly reason?: unknown },
  path: string,
): string | undefined {
  const known = kind === 'lost' ? (LOSSES[String(reason)] ?? 'may have lost some lines') : NOTES[kind];
  return known && `${path} ${known}`;
}
