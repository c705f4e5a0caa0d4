/** What is known of the addresses that HTTP requests of this process go to. */
interface ClientAddresses {
  /** Addresses that requests which export telemetry go to. */
  readonly telemetry: Set<string>;
  /** Addresses that other requests go to. */
  readonly others: Set<string>;
}

// Two copies of hdrscope in a process know the same.
const KEY = Symbol.for('hdrscope.client-addresses');

// A process that calls more hosts is a crawler. Then nothing is known.
const MOST_ADDRESSES = 10_000;

function findAddresses(): ClientAddresses {
  const shared = globalThis as unknown as Record<symbol, ClientAddresses | undefined>;
  shared[KEY] ??= { telemetry: new Set(), others: new Set() };
  return shared[KEY];
}

/**
 * Notes an HTTP request of this process.
 *
 * @param address As `collector:4318`.
 * @param isTelemetry Whether it exports telemetry.
 */
export function noteClientRequest(address: string, isTelemetry: boolean): void {
  const { telemetry, others } = findAddresses();
  const set = isTelemetry ? telemetry : others;
  if (set.size < MOST_ADDRESSES) set.add(address);
}

/**
 * The addresses to which all requests of this process export telemetry. An address that gets one request of another kind is left out, because
 * it is not only that of a receiver.
 *
 * @example
 * ```ts
 * import { listTelemetryAddresses, noteClientRequest } from '@hdrscope/kit';
 *
 * noteClientRequest('collector:4318', true);
 * noteClientRequest('gateway:443', true);
 * noteClientRequest('gateway:443', false);
 * listTelemetryAddresses(); //=> ['collector:4318']
 * ```
 */
export function listTelemetryAddresses(): string[] {
  const { telemetry, others } = findAddresses();
  if (others.size >= MOST_ADDRESSES) return [];
  return [...telemetry].filter((address) => !others.has(address));
}
