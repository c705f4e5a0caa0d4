import { createServer, type Server, type Socket } from 'node:net';

const servers: Server[] = [];
const connections: Socket[] = [];

/** Serves a socket. `behave` handles each client once its request has arrived. */
export async function fakeDaemon(
  path: string,
  behave: (socket: Socket, request: Buffer) => void,
): Promise<void> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    connections.push(socket);
    socket.on('error', () => {});
    socket.once('data', (request) => behave(socket, request));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(path, resolve));
}

/** Call it after each test. */
export async function closeFakeDaemons(): Promise<void> {
  for (const socket of connections.splice(0)) socket.destroy();
  await Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
}

/** A reply with the header that daemons send. */
export function framed(body: string, length: number = Buffer.byteLength(body)): Buffer {
  const header = Buffer.alloc(4);
  header.writeUInt32BE(length);
  return Buffer.concat([header, Buffer.from(body)]);
}
