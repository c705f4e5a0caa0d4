import { once } from 'node:events';
import { Agent, createServer, get, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { Registry } from '@hdrscope/registry';

/** What goes wrong in a shop. */
export type Trouble =
  /** Requests of /cart to host b wait for each other. */
  | 'a lock'
  /** A service that /pay calls takes its time. */
  | 'a slow dependency'
  /** A quarter of all requests give up, on every route and host. */
  | 'errors';

const ROUTES = ['/cart', '/pay', '/search', '/items'];
const HOSTS = ['a', 'b'];
const WORKERS = 16;
/** More than requests take on a busy machine. */
const SLOW_MS = 600;
/** With all clients in the queue, a request waits for 0.4 s. */
const LOCK_MS = 25;

/** Two hosts of a real HTTP service, a service that they call, and clients that do not rest. Requests are counted by route, host and status. */
export class Shop {
  trouble: Trouble | undefined;
  readonly #servers: Server[] = [];
  readonly #agent = new Agent({ keepAlive: true });
  readonly #registry: Registry;
  #lock: Promise<unknown> = Promise.resolve();
  #requests = 0;
  #isClosed = false;
  #clients: Promise<unknown> = Promise.resolve();

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  async start(): Promise<void> {
    const dependency = await this.#listen(async () => {
      await wait(this.trouble === 'a slow dependency' ? SLOW_MS : 1);
      return 200;
    });
    const durations = this.#registry.histogram({ name: 'http.server.request.duration', unit: 's' });
    const hosts = await Promise.all(
      HOSTS.map((host) =>
        this.#listen(async (route) => {
          this.#requests++;
          const startMs = performance.now();
          const status = await this.#serve(host, route, dependency);
          const seconds = (performance.now() - startMs) / 1000;
          durations.with({ host, route, status }).record(seconds);
          return status;
        }),
      ),
    );
    this.#clients = Promise.all(Array.from({ length: WORKERS }, (_, n) => this.#visit(hosts, n)));
  }

  /** How many requests have come. */
  get requests(): number {
    return this.#requests;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#clients;
    this.#agent.destroy();
    for (const server of this.#servers) server.close();
  }

  async #serve(host: string, route: string, dependency: number): Promise<number> {
    if (route === '/pay') await this.#ask(dependency, '/');
    else await wait(1);
    if (this.trouble === 'a lock' && host === 'b' && route === '/cart') {
      this.#lock = this.#lock.then(() => wait(LOCK_MS));
      await this.#lock;
    }
    if (this.trouble !== 'errors' || Math.random() >= 0.25) return 200;
    await wait(SLOW_MS);
    return 503;
  }

  async #listen(handle: (route: string) => Promise<number>): Promise<number> {
    const server = createServer(async (request, response) => {
      response.writeHead(await handle(request.url!)).end();
    });
    // A connection that the server closes may be taken for a request at that moment.
    server.keepAliveTimeout = 0;
    this.#servers.push(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return (server.address() as AddressInfo).port;
  }

  /** Asks one route after another, of one host after another. */
  async #visit(hosts: readonly number[], first: number): Promise<void> {
    for (let n = first; !this.#isClosed; n++) {
      const route = ROUTES[Math.floor(n / hosts.length) % ROUTES.length]!;
      await this.#ask(hosts[n % hosts.length]!, route);
    }
  }

  async #ask(port: number, path: string): Promise<void> {
    const [response] = await once(get({ host: '127.0.0.1', port, path, agent: this.#agent }), 'response');
    response.resume();
    await once(response, 'end');
  }
}
