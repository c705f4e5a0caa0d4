import type { DiagLogger } from '@opentelemetry/api';
import type { Warn } from './families.ts';

/** Where OpenTelemetry's API keeps what all its copies of one major version share. */
const API_GLOBAL = Symbol.for('opentelemetry.js.api.1');

/**
 * Tells the logger that an application has set for OpenTelemetry's diagnostics, if any. It is found through the API's
 * global instead of an import, as a registry is also served where there is no OpenTelemetry. Never throws: a broken
 * logger is no reason to fail a scrape.
 */
export function report(level: 'error' | 'warn' | 'debug', message: string, ...details: unknown[]): void {
  const api = (globalThis as Record<symbol, unknown>)[API_GLOBAL];
  const logger = (api as { readonly diag?: Partial<DiagLogger> } | undefined)?.diag;
  try {
    logger?.[level]?.(message, ...details);
  } catch {
    // Nobody is left who could be told.
  }
}

// More than that is noise, and names that never end would fill the memory.
const MOST_WARNINGS = 1000;

/** Warns once of what would else be said at every scrape. */
export function warnOnce(): Warn {
  const said = new Set<string>();
  return (message) => {
    if (said.has(message) || said.size >= MOST_WARNINGS) return;
    said.add(message);
    report('warn', message);
  };
}

/** What went wrong, in one line. */
export function reasonOf(error: unknown): string {
  try {
    // Not by `instanceof`: errors of other realms have messages, too.
    const message = (error as Partial<Error> | undefined)?.message;
    return (message || String(error)).replaceAll(/\s+/g, ' ');
  } catch {
    return 'unknown';
  }
}
