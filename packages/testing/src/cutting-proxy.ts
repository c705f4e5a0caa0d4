import { once } from 'node:events';
import {
  type AddressInfo,
  connect,
  createServer,
  type NetConnectOpts,
  type Server,
  type Socket,
} from 'node:net';

/** Where a connection breaks: when more than so many bytes have gone to the server, or have come back from it. */
export interface Cut {
  readonly of: 'request' | 'answer';
  readonly afterBytes: number;
}

/** A network that fails: it passes connections on to a server, and breaks some of them. */
export class CuttingProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #cuts = 0;

  private constructor(server: Server) {
    this.#server = server;
  }

  /**
   * @param to The server.
   * @param nextCut Called for each connection. It returns where it breaks, or `undefined` for one that stays whole.
   * @param port @default a free one
   */
  static async start(to: NetConnectOpts, nextCut: () => Cut | undefined, port = 0): Promise<CuttingProxy> {
    const server = createServer().listen(port, '127.0.0.1');
    const proxy = new CuttingProxy(server);
    server.on('connection', (client) => proxy.#join(client, connect(to), nextCut()));
    await once(server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** How many connections it has broken. */
  get cuts(): number {
    return this.#cuts;
  }

  async stop(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #join(client: Socket, server: Socket, cut: Cut | undefined): void {
    const end = (): void => {
      client.destroy();
      server.destroy();
    };
    const pass = (from: Socket, to: Socket, afterBytes: number): void => {
      this.#sockets.add(from);
      let bytes = 0;
      from.on('data', (chunk) => {
        bytes += chunk.length;
        if (bytes <= afterBytes) {
          to.write(chunk);
          return;
        }
        this.#cuts++;
        end();
      });
      from.on('end', () => to.end());
      from.on('error', end);
      from.on('close', () => {
        this.#sockets.delete(from);
        end();
      });
    };
    pass(client, server, cut?.of === 'request' ? cut.afterBytes : Number.POSITIVE_INFINITY);
    pass(server, client, cut?.of === 'answer' ? cut.afterBytes : Number.POSITIVE_INFINITY);
  }
}
