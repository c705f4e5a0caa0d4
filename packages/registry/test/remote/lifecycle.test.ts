import { collectFrom, createRegistry, serveRegistry } from '../../src/index.ts';
import { refusalMessage } from '../../src/remote/wire.ts';
import { FakePort, settled } from '../support/ports.ts';
import { record, remoteOf } from '../support/remotes.ts';
import { countOf } from '../support/totals.ts';

describe('a remote that ends', () => {
  test('leaves its reported counts, once, and is named until it is removed', async () => {
    const main = createRegistry();
    const { registry, ports, leave } = remoteOf(main, { name: 'worker 7' });
    record(registry, 1, 2);
    await main.gather();
    record(registry, 3);
    ports.remote.kill();
    await settled();
    const snapshot = await main.gather();
    expect(countOf(snapshot)).toBe(2);
    expect(snapshot.errors).toMatchObject([
      {
        source: 'worker 7',
        error: {
          message: expect.stringMatching(/^worker 7 ended and did not report its counts since \d{4}-/),
        },
      },
    ]);
    expect(ports.main.listenerCount('message')).toBe(0);
    const next = await main.gather();
    expect(countOf(next)).toBe(2);
    expect(next.errors).toEqual(snapshot.errors);
    leave();
    const last = await main.gather();
    expect(countOf(last)).toBe(2);
    expect(last.errors).toEqual([]);
  });

  test('during a request is not waited for', async () => {
    const main = createRegistry();
    const { registry, ports, leave } = remoteOf(main);
    record(registry, 1);
    await main.gather();
    ports.remote.hold();
    const gathering = main.gather();
    await settled();
    ports.remote.kill();
    const snapshot = await gathering;
    expect(snapshot.errors).toHaveLength(1);
    expect(countOf(snapshot)).toBe(1);
    expect((await main.gather()).errors).toEqual(snapshot.errors);
    leave();
    expect((await main.gather()).errors).toEqual([]);
  });

  test('in good order has reported all its counts, and is not an error', async () => {
    const main = createRegistry();
    const { registry, ports, stop } = remoteOf(main);
    record(registry, 1);
    await main.gather();
    record(registry, 2);
    const stopped = stop();
    expect(stop()).toBe(stopped);
    await stopped;
    ports.remote.kill();
    await settled();
    const snapshot = await main.gather();
    expect(countOf(snapshot)).toBe(2);
    expect(snapshot.errors).toEqual([]);
    expect(ports.main.listenerCount('message')).toBe(0);
  });

  test('in good order answers a waiting gather', async () => {
    const main = createRegistry();
    const { registry, stop } = remoteOf(main);
    record(registry, 1);
    const gathering = main.gather();
    void stop();
    const snapshot = await gathering;
    expect(snapshot.errors).toEqual([]);
    expect(countOf(snapshot)).toBe(1);
  });

  test('in good order is read to the end: the parts of its last state that cannot be taken are reported', async () => {
    const main = createRegistry();
    record(main, 1);
    const { registry, stop } = remoteOf(main, { name: 'worker 7' });
    registry.histogram({ name: 'jobs', unit: 'ms' }).with({}).record(1);
    await stop();
    await settled();
    expect((await main.gather()).errors).toMatchObject([
      { source: 'worker 7', error: { code: 'ERR_ALREADY_REGISTERED' } },
    ]);
    expect((await main.gather()).errors).toEqual([]);
  });

  test('is followed by one that starts from zero, whose counts are all added', async () => {
    const main = createRegistry();
    const totals: number[] = [];
    for (let generation = 0; generation < 4; generation++) {
      const { registry, ports } = remoteOf(main);
      record(registry, 1, 2, 3);
      totals.push(countOf(await main.gather()));
      ports.remote.kill();
      await settled();
    }
    expect(totals).toEqual([3, 6, 9, 12]);
    expect((await main.gather()).errors).toHaveLength(1);
  });

  test('may be followed by another registry at the same port', async () => {
    const main = createRegistry();
    const { registry, ports } = remoteOf(main);
    record(registry, 1);
    await main.gather();
    ports.remote.removeAllListeners();
    const successor = createRegistry();
    serveRegistry(successor, ports.remote);
    record(successor, 1);
    expect(countOf(await main.gather())).toBe(2);
  });
});

test('of many remotes that died, the last hundred stay named, and each is named once', async () => {
  const main = createRegistry();
  const named = new Set<string>();
  let atOnce = 0;
  for (let nth = 0; nth < 150; nth++) {
    const { ports } = remoteOf(main, { name: `job ${nth}` });
    ports.remote.kill();
    await settled();
    const { errors } = await main.gather();
    atOnce = Math.max(atOnce, errors.length);
    for (const { source } of errors) named.add(source);
  }
  expect(named.size).toBe(150);
  expect(atOnce).toBe(100);
});

describe('the same registry', () => {
  test('at two ports is counted once', async () => {
    const main = createRegistry();
    const { registry } = remoteOf(main);
    const second = FakePort.pair();
    serveRegistry(registry, second.remote);
    collectFrom(main, second.main);
    record(registry, 1, 2);
    expect(countOf(await main.gather())).toBe(2);
    record(registry, 3);
    expect(countOf(await main.gather())).toBe(3);
  });

  test('that is left and collected from again is not counted again', async () => {
    const main = createRegistry();
    const { registry, ports, leave } = remoteOf(main);
    record(registry, 1, 2);
    await main.gather();
    leave();
    leave();
    record(registry, 3);
    expect(countOf(await main.gather())).toBe(2);
    collectFrom(main, ports.main);
    expect(countOf(await main.gather())).toBe(3);
  });
});

describe('a remote that is slow', () => {
  test('is asked again when it did not listen yet to the first question', async () => {
    const main = createRegistry();
    const ports = FakePort.pair();
    collectFrom(main, ports.main, { timeoutMs: 20 });
    // As a worker of a cluster that starts.
    expect((await main.gather()).errors).toHaveLength(1);
    const registry = createRegistry();
    serveRegistry(registry, ports.remote);
    record(registry, 1, 2);
    // A gather does not wait for a source that is late, so the answer comes in between.
    while (countOf(await main.gather()) === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    record(registry, 3);
    const snapshot = await main.gather();
    expect(countOf(snapshot)).toBe(3);
    expect(snapshot.errors).toEqual([]);
  });

  test('is named, its last known state is used, and its late counts are in the next snapshot', async () => {
    const main = createRegistry();
    const { registry, ports } = remoteOf(main, { name: 'worker 7', timeoutMs: 10 });
    record(registry, 1);
    await main.gather();
    record(registry, 2);
    ports.remote.hold();
    const snapshot = await main.gather();
    expect(snapshot.errors).toMatchObject([{ source: 'worker 7', error: { name: 'TimeoutError' } }]);
    expect(countOf(snapshot)).toBe(1);
    ports.remote.release();
    await settled();
    const next = await main.gather();
    expect(next.errors).toEqual([]);
    expect(countOf(next)).toBe(2);
  });

  test('has the problems of its late answer reported by the next snapshot, once', async () => {
    const main = createRegistry();
    const { registry, ports } = remoteOf(main, { name: 'worker 7', timeoutMs: 10 });
    record(registry, 1);
    ports.remote.hold();
    await main.gather();
    const [question] = ports.main.sent;
    ports.main.emit('message', refusalMessage(question, 'no memory'));
    ports.remote.release();
    await settled();
    const { errors } = await main.gather({ timeoutMs: 30_000 });
    expect(errors.map(({ error }) => (error as Error).message)).toEqual([
      'worker 7 refuses the question: no memory',
    ]);
    expect((await main.gather({ timeoutMs: 30_000 })).errors).toEqual([]);
  });

  test('is not asked again and again', async () => {
    const main = createRegistry();
    const { ports } = remoteOf(main, { timeoutMs: 5 });
    ports.remote.hold();
    for (let times = 0; times < 5; times++) expect((await main.gather()).errors).toHaveLength(1);
    expect(ports.main.sent).toHaveLength(1);
  });

  test.each([
    [undefined, 1000],
    [5, 5],
    [5000, 5000],
  ])('has the time that the gather states, %p ms, else a second', async (timeoutMs, expected) => {
    const main = createRegistry();
    const { registry, ports } = remoteOf(main, { timeoutMs: 1000 });
    record(registry, 1);
    await main.gather(timeoutMs === undefined ? {} : { timeoutMs });
    expect(ports.main.sent).toMatchObject([{ timeoutMs: expected }]);
  });

  test('has a second by default', async () => {
    const main = createRegistry();
    const ports = FakePort.pair();
    collectFrom(main, ports.main);
    const { errors } = await main.gather();
    expect((errors[0]!.error as Error).message).toBe(
      'the source "remote" must answer within 1000 ms: it has not answered before, so its counts are missing',
    );
  });

  test('may have slow sources of its own, which do not make it late', async () => {
    const main = createRegistry();
    const { registry } = remoteOf(main, { timeoutMs: 100 });
    registry.add({ name: 'hangs', collect: () => new Promise(() => {}) });
    record(registry, 1);
    const snapshot = await main.gather();
    expect(countOf(snapshot)).toBe(1);
    expect((snapshot.errors[0]!.error as Error).message).toMatch(/^hangs: .* within 50 ms/);
  });
});

describe('states that arrive in another order', () => {
  test('remove no counts', async () => {
    const main = createRegistry();
    const { registry, ports } = remoteOf(main);
    record(registry, 1);
    await main.gather();
    const [older] = ports.remote.sent;
    record(registry, 2);
    await main.gather();
    ports.main.emit('message', older);
    const snapshot = await main.gather();
    expect(countOf(snapshot)).toBe(2);
    expect(snapshot.errors).toEqual([]);
  });
});
