import { reasonOf } from '@hdrscope/kit';
import type { SourceFailure } from '@hdrscope/registry';
import type { DiagLogger } from '@opentelemetry/api';
import type { Warn } from './families.ts';

/** The key of the global that all copies of OpenTelemetry's API of one major version share. */
const API_GLOBAL = Symbol.for('opentelemetry.js.api.1');

/**
 * Logs to the logger that the application has set for OpenTelemetry's diagnostics, if there is one. It finds the logger
 * through the API's global instead of an import, because OpenTelemetry need not be installed. Never throws: a broken
 * logger must not fail a scrape.
 */
export function report(level: 'error' | 'warn' | 'debug', message: string, ...details: unknown[]): void {
  const api = (globalThis as Record<symbol, unknown>)[API_GLOBAL];
  const logger = (api as { readonly diag?: Partial<DiagLogger> } | undefined)?.diag;
  try {
    logger?.[level]?.(message, ...details);
  } catch {
    // There is no other place to log to.
  }
}

/** Warns of a wrong setting in the environment: in the diagnostics or, when nobody listens to them, as a warning of the process. */
export function warnOfSetting(message: string): void {
  const api = (globalThis as Record<symbol, unknown>)[API_GLOBAL];
  const hasLogger = (api as { readonly diag?: unknown } | undefined)?.diag !== undefined;
  if (hasLogger) report('warn', message);
  else process.emitWarning(message, { type: 'hdrscope', code: 'ERR_INVALID_OPTION' });
}

/** Logs the sources of a registry that failed during a scrape. */
export function reportFailures(failures: readonly SourceFailure[]): void {
  for (const { source, error } of failures) {
    report('warn', `the source "${source}" failed: ${reasonOf(error)}`, error);
  }
}

// More would be noise, and ever new messages would fill the memory.
const MOST_WARNINGS = 1000;

/** Makes a function that logs each warning once, however many scrapes repeat it. */
export function warnOnce(): Warn {
  const said = new Set<string>();
  return (message) => {
    if (said.has(message) || said.size >= MOST_WARNINGS) return;
    said.add(message);
    report('warn', message);
  };
}
