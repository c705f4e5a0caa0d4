import { createConnection, type Socket } from 'node:net';

/** What a client has got when its connection is over. */
export interface Outcome {
  readonly reply: Buffer;
  /** The error that ended it, if one did. */
  readonly errorCode: string | undefined;
}

/** Sends bytes as they are, and gives all that comes until the server hangs up. */
export function exchange(path: string, ...chunks: readonly (string | Buffer)[]): Promise<Outcome> {
  return converse(path, (socket) => {
    for (const chunk of chunks) socket.write(chunk);
  });
}

/** Connects, does something, and waits until the server hangs up. */
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

/** A reply's body, where its header tells the length. */
export function bodyIn(reply: Buffer): string {
  expect(reply.readUInt32BE(0)).toBe(reply.length - 4);
  return reply.toString('utf8', 4);
}
