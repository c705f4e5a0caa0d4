import { createConnection, type Socket } from 'node:net';

/** Everything that a client received until its connection ended. */
export interface Outcome {
  readonly reply: Buffer;
  /** The error that ended the connection; `undefined` without one. */
  readonly errorCode: string | undefined;
}

/** Sends bytes, and returns everything that arrives until the server hangs up. */
export function exchange(path: string, ...chunks: readonly (string | Buffer)[]): Promise<Outcome> {
  return converse(path, (socket) => {
    for (const chunk of chunks) socket.write(chunk);
  });
}

/** Connects, runs `act`, and waits until the server hangs up. */
export function converse(path: string, act: (socket: Socket) => void): Promise<Outcome> {
  return new Promise((resolve) => {
    const received: Buffer[] = [];
    let errorCode: string | undefined;
    const socket = createConnection({ path, allowHalfOpen: true }, () => act(socket));
    socket.on('data', (chunk) => received.push(chunk));
    socket.on('end', () => socket.end());
    socket.on('error', (error: NodeJS.ErrnoException) => {
      errorCode = error.code;
    });
    socket.on('close', () => resolve({ reply: Buffer.concat(received), errorCode }));
  });
}

/** The body of a reply. The header must state its length. */
export function bodyIn(reply: Buffer): string {
  expect(reply.readUInt32BE(0)).toBe(reply.length - 4);
  return reply.toString('utf8', 4);
}
