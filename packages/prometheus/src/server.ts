import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { reasonOf, report } from './diagnostics.ts';
import { answerText } from './scrape.ts';

/** Where metrics are served. */
export interface ServerAddress {
  /** A name or an address; those of all interfaces are `0.0.0.0` and `::`. */
  readonly host: string;
  /** From 0 to 65535; 0 takes a free one. */
  readonly port: number;
  /** A path, with its slash. */
  readonly endpoint: string;
}

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

// What a scrape that is being answered gets when the server stops.
const PATIENCE_MS = 1000;

/** A server of one path. It keeps no process alive, and can be started again once it has been stopped. */
export class MetricsServer {
  readonly #address: ServerAddress;
  readonly #handler: RequestHandler;
  /** From the start on, until it fails or a stop is asked for. */
  #running: Promise<Server> | undefined;
  /** Only while it listens. */
  #listening: Server | undefined;
  #stopped: Promise<void> = Promise.resolve();

  constructor(address: ServerAddress, handler: RequestHandler) {
    this.#address = address;
    this.#handler = handler;
  }

  /** The port that it listens on, while it does. */
  get port(): number | undefined {
    const address = this.#listening?.address();
    return typeof address === 'object' ? address?.port : undefined;
  }

  /** Rejects when it cannot listen. Starting twice is starting once. */
  async start(): Promise<void> {
    this.#running ??= this.#listen();
    const running = this.#running;
    try {
      await running;
    } catch (error) {
      if (this.#running === running) this.#running = undefined;
      throw error;
    }
  }

  /** Answers what is being asked, within a second, then closes all connections. Never rejects. */
  stop(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    if (running !== undefined) {
      this.#stopped = running.then(
        async (server) => {
          this.#listening = undefined;
          await close(server);
        },
        () => {},
      );
    }
    return this.#stopped;
  }

  async #listen(): Promise<Server> {
    await this.#stopped;
    const { host, endpoint } = this.#address;
    this.#listening = await listen(this.#address, (request, response) => this.#route(request, response));
    report('debug', `metrics are served on ${host}, port ${this.port}, at ${endpoint}`);
    return this.#listening;
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

function listen({ host, port }: ServerAddress, handler: RequestHandler): Promise<Server> {
  const server = createServer(handler).unref();
  server.on('connection', (socket) => socket.unref());
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.off('error', reject);
      server.on('error', (error) => report('error', `the metrics server failed: ${reasonOf(error)}`, error));
      resolve(server);
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), PATIENCE_MS);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
