import type { Registry } from '@hdrscope/registry';
import { describeReachedLimit, watchSeriesLimit } from '@hdrscope/registry/internal';
import { diag } from '@opentelemetry/api';

const CURE =
  'leave it out by denyAttributes or allowAttributes of a view, or raise aggregationCardinalityLimit of the view';

const DIAGNOSED = new WeakSet<Registry>();

/** Warns in OpenTelemetry's diagnostics, also when several views share a registry. */
export function diagnoseSeriesLimit(registry: Registry): void {
  if (DIAGNOSED.has(registry)) return;
  DIAGNOSED.add(registry);
  warnOfSeriesLimit(registry, (message) => diag.warn(message));
}

/** Warns once of each histogram whose series reach the limit of their number. */
export function warnOfSeriesLimit(registry: Registry, warn: (message: string) => void): void {
  watchSeriesLimit(registry, (reached) => warn(describeReachedLimit(reached, CURE)));
}
