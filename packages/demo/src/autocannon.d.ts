/** What the demo uses of autocannon 9, which comes without types. */
declare module 'autocannon' {
  import type { EventEmitter } from 'node:events';

  export interface Client extends EventEmitter {
    // The two are no documented part of it: the exact version is a dependency, and the end-to-end test counts.
    /** How many requests were sent. */
    readonly reqsMade: number;
    /** When so many requests have their answers, the connection is done; 0 is never. Read after every answer. */
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

  /** Without what is computed from it: a run in a worker thread leaves that to the main thread. */
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
