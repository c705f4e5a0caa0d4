import { collectFrom, createRegistry, type Registry, serveRegistry } from '../../src/index.ts';
import { FakePort } from './ports.ts';

/** A remote registry, served at the other end of a port that `main` collects from. */
export function remoteOf(main: Registry, options: Parameters<typeof collectFrom>[2] = {}) {
  const ports = FakePort.pair();
  const registry = createRegistry();
  const stop = serveRegistry(registry, ports.remote);
  // By default a remote has a second, which a thousand series can take on a busy machine.
  const leave = collectFrom(main, ports.main, { timeoutMs: 30_000, ...options });
  return { registry, ports, stop, leave };
}

export const JOBS = { name: 'jobs', unit: 's', significantDigits: 3 } as const;

/** Records values into the only series of the family `jobs`. */
export function record(registry: Registry, ...values: number[]): void {
  const series = registry.histogram(JOBS).with({ queue: 'a' });
  for (const value of values) series.record(value);
}
