import { setTimeout as sleep } from 'node:timers/promises';
import { FakeClock } from '@hdrscope/testing/fake-clock';
import { expectRefused } from '@hdrscope/testing/refusals';
import { createRegistry, type Source } from '../src/index.ts';
import { settled } from './support/ports.ts';
import { familyIn, onlySeries } from './support/state.ts';

/** A source whose calls end on request, and count one value each. */
function slowSource(name = 'slow') {
  const calls: { end(): void; fail(error: unknown): void }[] = [];
  const source: Source = {
    name,
    collect: (registry) =>
      new Promise((resolve, reject) => {
        const end = (): void => {
          registry.histogram({ name }).with({}).record(1);
          resolve();
        };
        calls.push({ end, fail: reject });
      }),
  };
  return { source, calls };
}

describe('a source with a time limit', () => {
  test('is named when the time is over, with its limit; the others are there', async () => {
    const registry = createRegistry();
    registry.histogram({ name: 'own' }).with({}).record(1);
    registry.add(slowSource().source, { timeoutMs: 5 });
    registry.add({ name: 'fast', collect: (r) => void r.histogram({ name: 'fast' }).with({}).record(1) });
    const snapshot = await registry.gather();
    expect(snapshot.errors).toMatchObject([
      {
        source: 'slow',
        error: {
          name: 'TimeoutError',
          message:
            'the source "slow" must answer within 5 ms: it has not answered before, so its counts are missing',
        },
      },
    ]);
    expect(snapshot.families.map(({ name }) => name)).toEqual(['own', 'fast']);
  });

  test('brings its late counts into the next snapshot', async () => {
    const registry = createRegistry();
    const { source, calls } = slowSource();
    registry.add(source, { timeoutMs: 5 });
    await registry.gather();
    calls[0]!.end();
    await settled();
    const next = registry.gather();
    calls[1]!.fail(new Error('no news'));
    expect(onlySeries(familyIn(await next, 'slow')).histogram.totalCount).toBe(1);
  });

  test('is not asked again before its late call has ended', async () => {
    const registry = createRegistry();
    const { source, calls } = slowSource();
    registry.add(source, { timeoutMs: 5 });
    await registry.gather();
    const { errors } = await registry.gather();
    expect(errors[0]!.error).toMatchObject({
      name: 'TimeoutError',
      message:
        'the source "slow" has not answered an earlier gather yet: it has not answered before, so its counts are missing',
    });
    expect(calls).toHaveLength(1);
    calls[0]!.fail(new Error('too late to matter'));
    await settled();
    const recovered = registry.gather();
    expect(calls).toHaveLength(2);
    calls[1]!.end();
    expect((await recovered).errors).toEqual([]);
  });

  test('is asked once for all gathers that wait for it', async () => {
    const registry = createRegistry();
    const { source, calls } = slowSource();
    registry.add(source, { timeoutMs: 10_000 });
    const gatherings = [registry.gather(), registry.gather(), registry.gather({ timeoutMs: 5000 })];
    expect(calls).toHaveLength(1);
    calls[0]!.end();
    const snapshots = await Promise.all(gatherings);
    expect(snapshots.map(({ errors }) => errors)).toEqual([[], [], []]);
    for (const one of snapshots) expect(onlySeries(familyIn(one, 'slow')).histogram.totalCount).toBe(1);
  });

  test('is asked again by the next gather, also when it has just answered', async () => {
    const registry = createRegistry();
    const { source, calls } = slowSource();
    registry.add(source);
    for (const nth of [1, 2]) {
      const gathering = registry.gather();
      calls[nth - 1]!.end();
      expect(onlySeries(familyIn(await gathering, 'slow')).histogram.totalCount).toBe(nth);
    }
  });

  test('is not asked again while its answer is as young as the gather allows', async () => {
    const clock = new FakeClock(1000);
    const registry = createRegistry({ clock });
    let calls = 0;
    registry.add({ name: 'counted', collect: () => void calls++ });
    const own = registry.histogram({ name: 'own' }).with({});
    await registry.gather({ maxAgeMs: 100 });
    clock.advance(100);
    own.record(1);
    const shared = await registry.gather({ maxAgeMs: 100 });
    expect([calls, onlySeries(familyIn(shared, 'own')).histogram.totalCount]).toEqual([1, 1]);
    clock.advance(1);
    await registry.gather({ maxAgeMs: 100 });
    expect(calls).toBe(2);
    await registry.gather();
    expect(calls).toBe(3);
  });

  test('is asked again after a failure, whatever age the gather allows', async () => {
    const registry = createRegistry();
    let calls = 0;
    const collect = (): void => {
      calls++;
      throw new Error('broken');
    };
    registry.add({ name: 'broken', collect });
    for (const nth of [1, 2]) {
      expect((await registry.gather({ maxAgeMs: 1e6 })).errors).toHaveLength(1);
      expect(calls).toBe(nth);
    }
  });

  test.each([-1, Number.NaN])('is not asked for an answer of the age %d', async (maxAgeMs) => {
    await expect(createRegistry().gather({ maxAgeMs })).rejects.toMatchObject({ code: 'ERR_INVALID_OPTION' });
  });

  test.each<[what: string, fail: () => void | Promise<void>]>([
    [
      'throws',
      () => {
        throw new Error('broken');
      },
    ],
    ['rejects', () => Promise.reject(new Error('broken'))],
  ])('fails with its own error when it %s in time', async (_, collect) => {
    const registry = createRegistry();
    registry.add({ name: 'x', collect }, { timeoutMs: 10_000 });
    const { errors } = await registry.gather();
    expect(errors).toMatchObject([{ source: 'x', error: { message: 'broken' } }]);
  });

  test.each<[own: number | undefined, stated: number | undefined, waitsMs: number | undefined]>([
    [undefined, undefined, undefined],
    [undefined, 10, 10],
    [5, undefined, 5],
    [5, 10, 10],
    [10_000, 10, 10],
    [5, Number.POSITIVE_INFINITY, undefined],
  ])('of its own (%p ms) and in a gather (%p ms) is waited for %p ms', async (own, stated, waitsMs) => {
    const registry = createRegistry();
    const { source, calls } = slowSource();
    const limits: number[] = [];
    const collect: Source['collect'] = (to, { timeoutMs }) => {
      limits.push(timeoutMs);
      return source.collect(to, { timeoutMs });
    };
    registry.add({ name: 'slow', collect }, own === undefined ? {} : { timeoutMs: own });
    const gathering = registry.gather(stated === undefined ? {} : { timeoutMs: stated });
    if (waitsMs === undefined) {
      await sleep(30);
      calls[0]!.end();
    }
    const { errors } = await gathering;
    expect(errors.map(({ error }) => (error as Error).message.match(/(\d+) ms/)?.[1])).toEqual(
      waitsMs === undefined ? [] : [String(waitsMs)],
    );
    expect(limits).toEqual([waitsMs ?? Number.POSITIVE_INFINITY]);
  });

  test('that no gather may wait for longer is named at its own limit, whatever time the gather states', async () => {
    const registry = createRegistry();
    registry.add(slowSource().source, { maxTimeoutMs: 5 });
    for (const options of [{}, { timeoutMs: 10_000 }, { timeoutMs: Number.POSITIVE_INFINITY }]) {
      const { errors } = await registry.gather(options);
      expect(errors).toMatchObject([{ source: 'slow', error: { name: 'TimeoutError' } }]);
    }
  });

  test('that is late is waited for by a gather with more time, and not by one with less', async () => {
    const registry = createRegistry();
    const { source, calls } = slowSource();
    registry.add(source);
    await registry.gather({ timeoutMs: 20 });
    const beganMs = performance.now();
    expect((await registry.gather({ timeoutMs: 10 })).errors).toHaveLength(1);
    expect((await registry.gather({ timeoutMs: 20 })).errors).toHaveLength(1);
    expect(performance.now() - beganMs).toBeLessThan(1000);
    const patient = registry.gather({ timeoutMs: 30_000 });
    await settled();
    expect(calls).toHaveLength(1);
    calls[0]!.end();
    const snapshot = await patient;
    expect(snapshot.errors).toEqual([]);
    expect(onlySeries(familyIn(snapshot, 'slow')).histogram.totalCount).toBe(1);
  });

  test('that has answered before is named with the use of its earlier counts', async () => {
    const registry = createRegistry();
    const { source, calls } = slowSource();
    registry.add(source);
    const first = registry.gather();
    calls[0]!.end();
    await first;
    const { errors } = await registry.gather({ timeoutMs: 5 });
    expect(errors[0]!.error).toMatchObject({
      message: 'the source "slow" must answer within 5 ms: its earlier counts are used',
    });
  });

  test('is asked again when a gather without a limit has shared its call for a second in vain', async () => {
    const registry = createRegistry();
    const { source, calls } = slowSource();
    registry.add(source);
    await registry.gather({ timeoutMs: 5 });
    const gathering = registry.gather();
    expect(calls).toHaveLength(1);
    await sleep(1100);
    expect(calls).toHaveLength(2);
    calls[1]!.end();
    expect((await gathering).errors).toEqual([]);
  });
});

test.each([0, -1, Number.NaN, 2 ** 31])('%p ms are refused as a time limit', async (timeoutMs) => {
  const registry = createRegistry();
  for (const options of [{ timeoutMs }, { maxTimeoutMs: timeoutMs }]) {
    expectRefused(() => registry.add({ name: 'x', collect: () => {} }, options), 'ERR_INVALID_OPTION');
  }
  await expect(registry.gather({ timeoutMs })).rejects.toMatchObject({ code: 'ERR_INVALID_OPTION' });
  expect((await registry.gather()).errors).toEqual([]);
});

test('a family can be looked up without being made', async () => {
  const registry = createRegistry();
  expect(registry.family({ name: 'x' })).toBeUndefined();
  const family = registry.histogram({ name: 'X', scope: { name: 'shop' } });
  expect(registry.family({ name: 'x', scope: { name: 'shop' } })).toBe(family);
  expect(registry.family({ name: 'x' })).toBeUndefined();
  expect((await registry.gather()).families).toHaveLength(1);
});
