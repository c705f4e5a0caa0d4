import { isInstalled, programOf } from './peers.ts';
import { typeErrors } from './type-errors.ts';

/**
 * Loads one of the packages of the peer `opentelemetry-3` as an ES module. `tools/jest/hooks.js` finds them.
 *
 * @returns `undefined` where the peer is not installed; `describeWithPeers` then skips the tests that need it.
 */
export async function importOpenTelemetry3<Module>(
  name: 'sdk-metrics-3' | 'exporter-prometheus-3',
): Promise<Module> {
  return (isInstalled('opentelemetry-3') ? await import(name) : undefined) as Module;
}

/**
 * Type-checks a module against the types of OpenTelemetry 3, which the ordinary type check of a package does not have.
 *
 * @returns What the compiler prints; empty where the types fit.
 */
export function typeErrorsWithOpenTelemetry3(file: string): string {
  return typeErrors(file, { '*-3': [`${programOf('opentelemetry-3')}/*-3/dist/index.d.mts`] });
}
