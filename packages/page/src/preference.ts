/** An earlier choice of the reader, kept by the browser; `undefined` without a choice, or without storage. */
export function remembered(key: string): string | undefined {
  try {
    return localStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Keeps a choice. Without storage, it holds until the page is closed. */
export function remember(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // Private windows and some settings have no storage.
  }
}
