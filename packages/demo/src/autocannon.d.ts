/** The part of autocannon 9 that the demo uses. The package has no types of its own. */
declare module 'autocannon' {
  import type { EventEmitter } from 'node:events';

  export interface Client extends EventEmitter {
    // `reqsMade` and `responseMax` are undocumented. The dependency is pinned, and an end-to-end test checks the counts.
    /** The number of sent requests. */
    readonly reqsMade: number;
    /** The connection ends after so many answers; 0 means never. Read after every answer. */
    responseMax: number;
    setRequests(requests: { method: string; path: string; body?: string }[]): void;
  }

  export interface Options {
    url: string;
    connections: number;
    /** In seconds. */
    duration: number;
    /** In milliseconds. */
    sampleInt: number;
    headers: Record<string, string>;
    setupClient(client: Client): void;
  }

  /** The raw result. In a worker thread, autocannon leaves all computed figures to the main thread. */
  export interface Result {
    errors: number;
    timeouts: number;
    statusCodeStats: Record<string, { count: number }>;
  }

  export default function autocannon(
    options: Options,
    done: (error: Error | null, result: Result) => void,
  ): EventEmitter;
}
