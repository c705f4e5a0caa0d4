import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { closeServer, reasonOf } from '@hdrscope/kit';
import {
  createGuardedServer,
  type GuardOptions,
  listenAt,
  noRefusals,
  type ServerRefusals,
} from '@hdrscope/kit/server';
import { report } from './diagnostics.ts';
import { answerText } from './scrape.ts';

/** Where metrics are served. */
export interface ServerAddress {
  /** A name or an address; `0.0.0.0` or `::` for all interfaces. */
  readonly host: string;
  /** An integer from 0 to 65535; 0 takes a free port. */
  readonly port: number;
  /** A path that begins with a slash. */
  readonly endpoint: string;
}

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** A server of one path. It does not keep the process alive, and it can start again after it has stopped. */
export class MetricsServer {
  readonly #address: ServerAddress;
  readonly #handler: RequestHandler;
  readonly #guard: GuardOptions;
  /** Counts of all servers that this one has started. */
  readonly refusals: Readonly<ServerRefusals>;
  /** Set from the call of `start` until it fails or `stop` is called. */
  #running: Promise<Server> | undefined;
  /** Set while the server listens. */
  #listening: Server | undefined;
  /** Set while the server stops. */
  #stopping: Promise<void> | undefined;

  constructor(address: ServerAddress, handler: RequestHandler, guard: GuardOptions = {}) {
    this.#address = address;
    this.#handler = handler;
    const { refusals = noRefusals() } = guard;
    this.#guard = { ...guard, refusals };
    this.refusals = refusals;
  }

  /** The port that the server listens on, or `undefined` while it does not listen. */
  get port(): number | undefined {
    const address = this.#listening?.address();
    return typeof address === 'object' ? address?.port : undefined;
  }

  /**
   * Starts to listen. The system is asked before the call returns, so a request that the caller sends next finds the server. A server
   * that is stopping starts afterwards. Rejects when it cannot listen. A second call while it runs does nothing.
   */
  async start(): Promise<void> {
    this.#running ??=
      this.#stopping === undefined ? this.#listen() : this.#stopping.then(() => this.#listen());
    const running = this.#running;
    try {
      await running;
    } catch (error) {
      if (this.#running === running) this.#running = undefined;
      throw error;
    }
  }

  /** Answers running requests, within a second, then closes all connections. Never rejects. */
  async stop(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    if (running !== undefined) {
      const stopping = this.#close(running).finally(() => {
        if (this.#stopping === stopping) this.#stopping = undefined;
      });
      this.#stopping = stopping;
    }
    await this.#stopping;
  }

  async #close(running: Promise<Server>): Promise<void> {
    try {
      const server = await running;
      this.#listening = undefined;
      await closeServer(server);
    } catch {
      // The server never listened.
    }
  }

  async #listen(): Promise<Server> {
    const { host, endpoint } = this.#address;
    const server = createGuardedServer((request, response) => this.#route(request, response), {
      ...this.#guard,
      host,
      unref: true,
      onProblem: (problem) =>
        report(
          'warn',
          `the certificate of the metrics server could not be renewed: ${reasonOf(problem)}`,
          problem,
        ),
    });
    await listenAt(server, this.#address, (error) =>
      report('error', `the metrics server failed: ${reasonOf(error)}`, error),
    );
    this.#listening = server;
    report('debug', `metrics are served on ${host}, port ${this.port}, at ${endpoint}`);
    return server;
  }

  #route(request: IncomingMessage, response: ServerResponse): void {
    const { endpoint } = this.#address;
    const path = pathOf(request.url);
    if (path === endpoint) this.#handler(request, response);
    else if (path === undefined) answerText(response, 400, 'Bad Request');
    else answerText(response, 404, `metrics are at ${endpoint}`);
  }
}

function pathOf(url = ''): string | undefined {
  try {
    return new URL(url, 'http://localhost').pathname;
  } catch {
    return undefined;
  }
}
