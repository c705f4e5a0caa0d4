const NOTES: Readonly<Record<string, string>> = {
  missing: 'does not exist yet: waiting for it',
  truncated: 'was truncated: reading it from its start',
  replaced: 'is another file now: reading it from its start',
};

const LOSSES: Readonly<Record<string, string>> = {
  truncated: 'was truncated, and no rotated file has the lines before: some may be lost',
  replaced: 'was replaced more often than it was read: some lines may be lost',
};

/** An entry of a followed log. Only its kind is known here. */
interface Followed {
  readonly kind: string;
  /** Why lines may have been lost. */
  readonly reason?: unknown;
  /** A sentence of its own. */
  readonly message?: unknown;
}

/** A sentence about what happened to a followed log; `undefined` for an entry that needs no sentence. */
export function followNoteText(entry: Followed, path: string): string | undefined {
  const { kind, reason, message } = entry;
  const known = kind === 'lost' ? (LOSSES[String(reason)] ?? 'may have lost some lines') : NOTES[kind];
  if (known !== undefined) return `${path} ${known}`;
  return typeof message === 'string' ? `${path}: ${message}` : undefined;
}
