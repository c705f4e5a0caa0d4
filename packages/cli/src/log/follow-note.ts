import type { FollowNote, LogEntry } from '@hdrscope/interval-log';

const NOTES: Readonly<Record<string, string>> = {
  missing: 'does not exist yet: waiting for it',
  truncated: 'was truncated: reading it from its start',
  replaced: 'is another file now: reading it from its start',
};

/** A sentence about what happened to a followed log; `undefined` for an entry that needs no sentence. */
export function followNoteText(entry: LogEntry | FollowNote, path: string): string | undefined {
  const known = NOTES[entry.kind];
  if (known !== undefined) return `${path} ${known}`;
  // A note that this command does not know, such as one about lost lines, brings its own sentence.
  return 'message' in entry && typeof entry.message === 'string' ? `${path}: ${entry.message}` : undefined;
}
