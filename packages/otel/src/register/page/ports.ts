import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { deserialize, serialize } from 'node:v8';
import type { ThreadPort } from '@hdrscope/kit';

/** A port whose messages others may bring, too. It emits `message` and `close`. */
export class Port extends EventEmitter implements ThreadPort {
  readonly #post: (message: unknown) => void;

  /** @param post Takes what is sent. */
  constructor(post: (message: unknown) => void = () => {}) {
    super();
    // A registry, the numbers and the page itself listen.
    this.setMaxListeners(0);
    this.#post = post;
  }

  /** Sends a message. */
  postMessage(message: unknown): void {
    this.#post(message);
  }
}

/** Two ports of this process. What one sends is not copied: the other one gets it a moment later. */
export function portPair(): readonly [Port, Port] {
  const one: Port = new Port((message) => queueMicrotask(() => other.emit('message', message)));
  const other: Port = new Port((message) => queueMicrotask(() => one.emit('message', message)));
  return [one, other];
}

/** Far above any registry, and below what the memory of a process takes. */
const LONGEST_MESSAGE_BYTES = 2 ** 29;

/**
 * A port over a socket between two processes of one user. Each message has its length in four bytes before it. The socket does not keep
 * the process alive.
 *
 * @param atEnd Called when the other side is gone, before the port closes: it may bring messages that came another way.
 */
export function socketPort(socket: Socket, atEnd: (port: Port) => void = () => {}): Port {
  const port = new Port((message) => {
    if (socket.destroyed) return;
    const bytes = serialize(message);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    socket.cork();
    socket.write(length);
    socket.write(bytes);
    socket.uncork();
  });
  let chunks: Buffer[] = [];
  let size = 0;
  const read = (): void => {
    while (size >= 4) {
      const [first] = chunks;
      if (first!.length < 4) chunks = [Buffer.concat(chunks)];
      const length = chunks[0]!.readUInt32BE(0);
      if (length > LONGEST_MESSAGE_BYTES) throw new RangeError(`a message of ${length} bytes`);
      if (size < 4 + length) return;
      const all = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
      const rest = all.subarray(4 + length);
      chunks = rest.length > 0 ? [rest] : [];
      size = rest.length;
      port.emit('message', deserialize(all.subarray(4, 4 + length)));
    }
  };
  socket.unref();
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    size += chunk.length;
    try {
      read();
    } catch {
      // Another program, or another version of Node.js, whose messages this one cannot read.
      socket.destroy();
    }
  });
  // A `close` follows each error.
  socket.on('error', () => {});
  socket.on('close', () => {
    atEnd(port);
    port.emit('close');
  });
  return port;
}
