import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { Connections } from '../../src/server/connections.ts';
import { limitsOf } from '../../src/server/limits.ts';
import { noRefusals } from '../../src/server/refusals.ts';
import { Room } from '../../src/server/room.ts';

class FakeSocket extends EventEmitter {
  readonly bytesRead = 0;
  readonly remoteAddress: string;
  destroyed = false;

  constructor(remoteAddress: string) {
    super();
    this.remoteAddress = remoteAddress;
  }

  destroy(): void {
    this.destroyed = true;
    setImmediate(() => this.emit('close'));
  }
}

const HERE = '127.0.0.1';
const A = '192.0.2.1';
const B = '192.0.2.2';

function openConnections(limits: { connections: number; connectionsOfAddress: number }) {
  const refusals = noRefusals();
  const connections = new Connections(limits, new Room(limitsOf(), refusals), refusals);
  const open = async (...addresses: string[]): Promise<FakeSocket[]> => {
    const sockets = addresses.map((address) => new FakeSocket(address));
    for (const socket of sockets) connections.add(socket as unknown as Socket);
    for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve));
    return sockets;
  };
  return { open, refusals };
}

const isOpen = (sockets: readonly FakeSocket[]): boolean[] => sockets.map(({ destroyed }) => !destroyed);

test('an address of another machine keeps its newest connections, and others keep theirs', async () => {
  const { open, refusals } = openConnections({ connections: 100, connectionsOfAddress: 2 });
  const sockets = await open(A, B, A, A, B);
  expect(isOpen(sockets)).toEqual([false, true, true, true, true]);
  expect(refusals.connections).toBe(1);
});

test('a connection that has ended no longer counts for its address', async () => {
  const { open, refusals } = openConnections({ connections: 100, connectionsOfAddress: 2 });
  const before = await open(A, A);
  for (const socket of before) socket.destroy();
  const after = await open(A, A);
  expect(isOpen(after)).toEqual([true, true]);
  expect(refusals.connections).toBe(0);
  // The connections that were closed for others count no longer either, although the system ends them later.
  expect(isOpen([...after, ...(await open(A, A, A))])).toEqual([false, false, false, true, true]);
});

test('this machine has the limit of all connections only', async () => {
  const { open } = openConnections({ connections: 4, connectionsOfAddress: 1 });
  const sockets = await open(HERE, HERE, HERE);
  expect(isOpen(sockets)).toEqual([true, true, true]);
  expect(isOpen([...sockets, ...(await open(HERE, HERE))])).toEqual([false, true, true, true, true]);
});
