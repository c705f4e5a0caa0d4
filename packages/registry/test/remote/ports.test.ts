import type { ChildProcess } from 'node:child_process';
import type { Worker as ClusterWorker, default as cluster } from 'node:cluster';
import type { MessagePort, Worker } from 'node:worker_threads';
import { expectRefused } from '@hdrscope/testing/refusals';
import {
  collectFrom,
  collectFromCluster,
  createRegistry,
  type Registry,
  type RemotePort,
  serveRegistry,
} from '../../src/index.ts';
import type { ClusterLike } from '../../src/internal.ts';
import { collectMessage } from '../../src/remote/wire.ts';
import { FakePort, FakeProcess, settled } from '../support/ports.ts';
import { record, remoteOf } from '../support/remotes.ts';
import { familyIn, onlySeries, slotsOf } from '../support/state.ts';
import { countOf } from '../support/totals.ts';

// The types of ports must allow those of Node.js: otherwise this does not compile.
type Accepted<Given, Allowed> = Given extends Allowed ? true : never;
const ACCEPTED: Accepted<Worker | MessagePort | ChildProcess | ClusterWorker | NodeJS.Process, RemotePort> &
  Accepted<typeof cluster, ClusterLike<ClusterWorker>> = true;

describe('a port', () => {
  test('may be any port of Node.js', () => {
    expect(ACCEPTED).toBe(true);
  });

  test('may be a process, on either side', async () => {
    const main = createRegistry();
    const ports = FakePort.pair();
    const registry = createRegistry();
    const stop = serveRegistry(registry, new FakeProcess(ports.remote));
    collectFrom(main, new FakeProcess(ports.main));
    record(registry, 1);
    expect(countOf(await main.gather())).toBe(1);
    record(registry, 2);
    await stop();
    await settled();
    expect(countOf(await main.gather())).toBe(2);
  });

  test('that is closed is a remote that has ended', async () => {
    const main = createRegistry();
    const child = Object.assign(new FakeProcess(FakePort.pair().main), {
      pid: 4711,
      send: (_: unknown, callback: (error: Error) => void) => callback(new Error('channel closed')),
    });
    const leave = collectFrom(main, child);
    for (let times = 0; times < 2; times++) {
      expect((await main.gather()).errors).toMatchObject([
        {
          source: 'process 4711',
          error: { message: 'process 4711 ended and did not report its counts' },
        },
      ]);
    }
    leave();
    expect((await main.gather()).errors).toEqual([]);
  });

  test('that repeats a question while its answer is being made gets one answer', async () => {
    const ports = FakePort.pair();
    const registry = createRegistry();
    serveRegistry(registry, ports.remote);
    const answers: (() => void)[] = [];
    registry.add({ name: 'slow', collect: () => new Promise((resolve) => answers.push(resolve)) });
    const question = { request: 1, timeoutMs: 60_000, asker: 'main', known: undefined };
    for (let times = 0; times < 3; times++) ports.main.postMessage(collectMessage(question));
    await settled();
    expect(ports.remote.sent).toEqual([]);
    for (const answer of answers) answer();
    await settled();
    expect(ports.remote.sent).toMatchObject([{ hdrscope: 'changes', request: 1 }]);
    // An answer that was lost is made again.
    ports.main.postMessage(collectMessage(question));
    await settled();
    answers.at(-1)!();
    await settled();
    expect(ports.remote.sent).toHaveLength(2);
  });

  test('that is gone does not keep a remote from stopping', async () => {
    const stop = serveRegistry(
      createRegistry(),
      Object.assign(new FakeProcess(FakePort.pair().main), {
        send: (_: unknown, callback: (error: Error) => void) => callback(new Error('channel closed')),
      }),
    );
    await expect(stop()).resolves.toBeUndefined();
  });

  test('must have a way to send', () => {
    const listenable = { on: () => {}, off: () => {} };
    expectRefused(() => collectFrom(createRegistry(), listenable), 'ERR_INVALID_OPTION');
    expectRefused(() => serveRegistry(createRegistry(), listenable), 'ERR_INVALID_OPTION');
    expectRefused(() => serveRegistry(createRegistry(), null as never), 'ERR_INVALID_OPTION');
    expectRefused(
      () => collectFrom(createRegistry(), FakePort.pair().main, { timeoutMs: 0 }),
      'ERR_INVALID_OPTION',
    );
  });

  test('may have other listeners', async () => {
    const main = createRegistry();
    const { ports, registry } = remoteOf(main);
    record(registry, 1);
    const heard: unknown[] = [];
    ports.main.on('message', (message) => heard.push(message));
    for (const message of ['text', null, 7, { hdrscope: 'other' }, { type: 'job' }]) {
      ports.remote.postMessage(message);
      ports.main.postMessage(message);
    }
    const snapshot = await main.gather();
    expect(snapshot.errors).toEqual([]);
    expect(countOf(snapshot)).toBe(1);
    expect(heard).toHaveLength(6);
  });
});

describe('a cluster', () => {
  class FakeCluster extends FakePort {
    readonly workers: Record<string, FakeProcess & { id: number }> = {};

    fork(): Registry {
      const ports = FakePort.pair();
      const id = Object.keys(this.workers).length + 1;
      const worker = Object.assign(new FakeProcess(ports.main), { id });
      this.workers[id] = worker;
      queueMicrotask(() => this.emit('fork', worker));
      const registry = createRegistry();
      serveRegistry(registry, new FakeProcess(ports.remote));
      return registry;
    }
  }

  test('is collected from with all its present and future workers', async () => {
    const main = createRegistry();
    const cluster = new FakeCluster();
    record(cluster.fork(), 1);
    const stop = collectFromCluster(main, cluster, {
      attributesOf: ({ id }) => ({ 'worker.id': id }),
    });
    await settled();
    record(cluster.fork(), 2);
    await settled();
    const { series } = familyIn(await main.gather(), 'jobs');
    expect(series.map(({ attributes, sum }) => [attributes['worker.id'], sum])).toEqual([
      [1, 1],
      [2, 2],
    ]);
    stop();
    record(cluster.fork(), 3);
    await settled();
    const snapshot = await main.gather();
    expect(countOf(snapshot)).toBe(2);
    expect(snapshot.errors).toEqual([]);
  });

  test('adds up the series of its workers by default, and has a time limit on request', async () => {
    const main = createRegistry();
    const cluster = new FakeCluster();
    const registries = [cluster.fork(), cluster.fork()];
    collectFromCluster(main, cluster, { timeoutMs: 50 });
    for (const registry of registries) record(registry, 1);
    const series = onlySeries(familyIn(await main.gather(), 'jobs'));
    expect(slotsOf(series.histogram).map(([, count]) => count)).toEqual([2]);
  });
});
