/** From when on the counts of somebody else are taken. */
export interface Since {
  readonly start: 'beginning' | 'now';
  /** They were read: who is started after that must not count them again. */
  seen(): void;
}

/** What is cumulative and was counted by an earlier life of a source goes on from now. */
export function sinceOf(memory: Map<string, unknown>, key: string, first: 'beginning' | 'now'): Since {
  return {
    start: memory.has(key) ? 'now' : first,
    seen: () => memory.set(key, true),
  };
}
