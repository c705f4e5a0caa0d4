import { serialize } from 'node:v8';
import { countedIn, explicitLayout } from '@hdrscope/core';
import { FakeClock } from '@hdrscope/testing/fake-clock';
import { collectFrom, createRegistry, serveRegistry } from '../../src/index.ts';
import { recordSample } from '../../src/internal.ts';
import { FakePort } from '../support/ports.ts';
import { JOBS, record, remoteOf } from '../support/remotes.ts';
import { familyIn, onlySeries } from '../support/state.ts';
import { countOf, totalsOf } from '../support/totals.ts';

describe('a gather', () => {
  test('adds up the counts of all remotes and its own', async () => {
    const main = createRegistry();
    const remotes = [remoteOf(main), remoteOf(main)];
    const single = createRegistry();
    record(main, 0.5, 3);
    record(remotes[0]!.registry, 0.25, 0.125);
    record(remotes[1]!.registry, 8);
    record(single, 0.5, 3, 0.25, 0.125, 8);
    const snapshot = await main.gather();
    expect(snapshot.errors).toEqual([]);
    expect(totalsOf(snapshot)).toEqual(totalsOf(await single.gather()));
    expect(onlySeries(familyIn(snapshot, 'jobs'))).toMatchObject({ sum: 11.875, min: 0.125, max: 8 });
  });

  test('adds nothing twice, however often it is repeated', async () => {
    const main = createRegistry();
    const { registry } = remoteOf(main);
    record(registry, 1);
    for (let times = 0; times < 3; times++) expect(countOf(await main.gather())).toBe(1);
    record(registry, 2);
    const snapshots = await Promise.all([main.gather(), main.gather(), main.gather()]);
    expect(snapshots.map(countOf)).toEqual([2, 2, 2]);
  });

  test('takes families and series that only a remote has, with their descriptions', async () => {
    const main = createRegistry();
    const { registry } = remoteOf(main);
    const options = {
      ...{ name: 'sizes', unit: 'By', description: 'How large.', significantDigits: 4, resolution: 16 },
      ...{ cardinalityLimit: 7, scope: { name: 'shop', version: '2', schemaUrl: 'https://shop/1' } },
    };
    registry.histogram(options).with({ a: 1 }).record(4096);
    const [family] = (await main.gather()).families;
    expect(family).toMatchObject({
      name: 'sizes',
      unit: 'By',
      description: 'How large.',
      scope: options.scope,
      resolution: { ticksPerUnit: 1, unitsPerTick: 16 },
      layout: { significantDigits: 4 },
      series: [{ attributes: { a: 1 }, sum: 4096 }],
    });
    // Equal options, which threads with the same code have, do not conflict.
    expect(main.histogram(options).cardinalityLimit).toBe(7);
  });

  test('takes how far the values of buckets reach, and how many came without facts', async () => {
    const main = createRegistry();
    const { registry } = remoteOf(main);
    const series = registry.histogram({ name: 'jobs', unit: 's' }).with({});
    series.add(countedIn(explicitLayout([1, 2.5]), [0, 5, 0]));
    series.record(0.25);
    const { reaches } = series.snapshot();
    expect(reaches!.size).toBe(1);
    const taken = onlySeries(familyIn(await main.gather(), 'jobs'));
    expect([...taken.reaches!]).toEqual([...reaches!]);
    expect(taken.estimated).toEqual({ sum: 5, min: 5, max: 5 });

    series.add(countedIn(explicitLayout([1, 2.5]), [0, 0, 1]));
    expect(onlySeries(familyIn(await main.gather(), 'jobs')).reaches).toEqual(series.snapshot().reaches);
  });

  test('takes how many values one of a sample stands for', async () => {
    const main = createRegistry();
    const { registry } = remoteOf(main);
    const series = registry.histogram({ name: 'jobs', unit: 's' }).with({});
    for (const [weight, most] of [
      [10, 10],
      [3, 10],
      [100, 100],
    ] as const) {
      recordSample(series, 0.25, weight);
      const taken = onlySeries(familyIn(await main.gather(), 'jobs'));
      expect([taken.weight, taken.estimated]).toEqual([most, series.snapshot().estimated]);
    }
  });

  test('keeps exact facts exact: the sum, extremes between two ticks, and rejected values', async () => {
    const main = createRegistry();
    const { registry } = remoteOf(main);
    const series = registry.histogram({ name: 'x', resolution: 1 }).with({});
    for (const value of [Number.NaN, -1, Number.POSITIVE_INFINITY]) series.record(value);
    await main.gather();
    for (const value of [10.4, 0.6, 99.4]) series.record(value);
    await main.gather();
    series.record(0.4);
    series.record(50);
    series.record(2 ** 60);
    const { sum, min, max, rejected } = onlySeries(familyIn(await main.gather(), 'x'));
    expect(sum).toBeCloseTo(10.4 + 0.6 + 99.4 + 0.4 + 50, 12);
    expect([min, max]).toEqual([0.4, 99.4]);
    expect(rejected).toEqual({
      notANumber: 1,
      negative: 1,
      tooLarge: 2,
      largest: Number.POSITIVE_INFINITY,
      overflowing: 0,
    });
  });

  test('keeps an extreme between two ticks of a series that had only rejected values at first', async () => {
    const main = createRegistry();
    const { registry } = remoteOf(main);
    const series = registry.histogram({ name: 'x', resolution: 1 }).with({});
    series.record(-1);
    await main.gather();
    series.record(0.6);
    expect(onlySeries(familyIn(await main.gather(), 'x'))).toMatchObject({ min: 0.6, max: 0.6 });
  });

  test('keeps the overflow series of two families apart', async () => {
    const main = createRegistry();
    const { registry } = remoteOf(main);
    for (const [name, value] of [
      ['x', 1],
      ['y', 2],
    ] as const) {
      const family = registry.histogram({ name, cardinalityLimit: 1 });
      for (const user of [1, 2]) family.with({ user }).record(value);
    }
    const { families } = await main.gather();
    expect(families.map(({ series }) => series.map(({ histogram }) => histogram.max > 1500))).toEqual([
      [false, false],
      [true, true],
    ]);
  });

  test('has the counts of an interval, and its exact extremes', async () => {
    const main = createRegistry();
    const { registry } = remoteOf(main);
    record(registry, 1, 100);
    const before = await main.gather();
    record(registry, 10.0000000001, 20);
    const interval = onlySeries(familyIn((await main.gather()).since(before), 'jobs'));
    expect(interval.histogram.totalCount).toBe(2);
    expect(interval.sum).toBeCloseTo(30, 9);
    expect([interval.min, interval.max]).toEqual([10.0000000001, 20]);
    const next = await main.gather();
    record(registry, 0.5);
    const lower = onlySeries(familyIn((await main.gather()).since(next), 'jobs'));
    expect([lower.min, lower.max]).toEqual([0.5, 0.5]);
  });

  test('sends less than a kilobyte for 1,000 series that have not changed', async () => {
    const main = createRegistry();
    const { registry, ports } = remoteOf(main);
    const family = registry.histogram({ name: 'x' });
    for (let user = 0; user < 1000; user++) family.with({ user }).record(user);
    await main.gather();
    await main.gather();
    expect(serialize(ports.remote.sent.at(-1)).byteLength).toBeLessThan(1024);
    family.with({ user: 7 }).record(1);
    await main.gather();
    expect(serialize(ports.remote.sent.at(-1)).byteLength).toBeLessThan(1024);
    expect(countOf(await main.gather())).toBe(1001);
  });

  test('leaves series out that have counted nothing', async () => {
    const main = createRegistry();
    const { registry } = remoteOf(main);
    const idle = registry.histogram({ name: 'x' }).with({});
    expect(familyIn(await main.gather(), 'x').series).toEqual([]);
    idle.record(1);
    expect(onlySeries(familyIn(await main.gather(), 'x')).sum).toBe(1);
  });

  test('keeps the exemplars of remotes, the latest of each octave', async () => {
    const main = createRegistry();
    const { registry } = remoteOf(main);
    const theirs = registry.histogram(JOBS).with({});
    const exemplar = { value: 0.3, timeMs: 1000, attributes: { trace_id: 'a' } };
    theirs.record(0.3);
    theirs.offerExemplar(exemplar);
    expect(onlySeries(familyIn(await main.gather(), 'jobs')).exemplars).toEqual([exemplar]);
    const later = { value: 0.4, timeMs: 2000, attributes: { trace_id: 'b' } };
    main.histogram(JOBS).with({}).offerExemplar(later);
    theirs.record(5);
    expect(onlySeries(familyIn(await main.gather(), 'jobs')).exemplars).toEqual([later]);
  });

  test('asks remotes of remotes', async () => {
    const main = createRegistry();
    const middle = remoteOf(main);
    const leaf = remoteOf(middle.registry);
    record(middle.registry, 1);
    record(leaf.registry, 2);
    expect(countOf(await main.gather())).toBe(2);
  });

  test('adds the attributes of the options to the series of a remote', async () => {
    const main = createRegistry();
    for (const id of [1, 2]) record(remoteOf(main, { attributes: { 'worker.id': id } }).registry, id);
    record(main, 5);
    const { series } = familyIn(await main.gather(), 'jobs');
    expect(series.map(({ attributes, sum }) => [attributes, sum])).toEqual([
      [{ queue: 'a' }, 5],
      [{ queue: 'a', 'worker.id': 1 }, 1],
      [{ queue: 'a', 'worker.id': 2 }, 2],
    ]);
  });

  test('counts values beyond the limit once, in the overflow series', async () => {
    const main = createRegistry();
    main.histogram({ name: 'x', cardinalityLimit: 2 });
    const { registry } = remoteOf(main);
    for (let user = 0; user < 5; user++) registry.histogram({ name: 'x' }).with({ user }).record(1);
    for (let times = 0; times < 2; times++) {
      const { series } = familyIn(await main.gather(), 'x');
      expect(series.map(({ histogram }) => histogram.totalCount)).toEqual([1, 1, 3]);
    }
  });
});

describe('the start of a series', () => {
  test('is the earliest of all, until a snapshot has shown it', async () => {
    const clock = new FakeClock(1000);
    const main = createRegistry({ clock });
    const ports = [FakePort.pair(), FakePort.pair()];
    const registries = [500, 300].map((startMs) => createRegistry({ clock: new FakeClock(startMs) }));
    registries.forEach((registry, i) => {
      serveRegistry(registry, ports[i]!.remote);
      record(registry, 1);
    });
    for (const { main: port } of ports) collectFrom(main, port);
    const first = await main.gather();
    expect(onlySeries(familyIn(first, 'jobs')).startTimeMs).toBe(300);

    const late = FakePort.pair();
    const earliest = createRegistry({ clock: new FakeClock(100) });
    serveRegistry(earliest, late.remote);
    record(earliest, 1);
    collectFrom(main, late.main);
    const second = await main.gather();
    // Another start would be a restart: exported values would count again.
    expect(onlySeries(familyIn(second, 'jobs')).startTimeMs).toBe(300);
    expect(countOf(second.since(first))).toBe(1);
  });
});

describe('families that conflict', () => {
  test.each<[message: string, theirs: object]>([
    ['unit "s", got "ms"', { unit: 'ms' }],
    [`resolution ${1e-9}, got 0.001`, { resolution: 1e-3 }],
    ['significantDigits 3, got 2', { significantDigits: 2 }],
  ])('are an error of their remote: %s', async (message, theirs) => {
    const main = createRegistry();
    record(main, 1);
    const { registry } = remoteOf(main, { name: 'worker 7' });
    registry
      .histogram({ ...JOBS, ...theirs })
      .with({ queue: 'a' })
      .record(1);
    registry.histogram({ name: 'fine' }).with({}).record(1);
    for (let times = 0; times < 2; times++) {
      const snapshot = await main.gather();
      expect(snapshot.errors).toMatchObject([
        {
          source: 'worker 7',
          error: {
            code: 'ERR_ALREADY_REGISTERED',
            message: `the family "jobs" is registered with ${message}`,
          },
        },
      ]);
      expect(countOf(snapshot)).toBe(2);
    }
  });

  test('do not differ in their limit of series, their description, or a resolution such as 0.7', async () => {
    const main = createRegistry();
    main.histogram({ name: 'x', resolution: 0.7, cardinalityLimit: 5, description: 'ours' });
    const { registry } = remoteOf(main);
    registry.histogram({ name: 'X', resolution: 0.7, description: 'theirs' }).with({}).record(7);
    const snapshot = await main.gather();
    expect(snapshot.errors).toEqual([]);
    expect(countOf(snapshot)).toBe(1);
  });

  test('are all named in one error', async () => {
    const main = createRegistry();
    const { registry } = remoteOf(main);
    for (const name of ['a', 'b']) {
      main.histogram({ name, unit: 's' });
      registry.histogram({ name, unit: 'ms' });
    }
    const { error } = (await main.gather()).errors[0]!;
    expect(error).toBeInstanceOf(AggregateError);
    expect((error as AggregateError).errors).toHaveLength(2);
    expect((error as Error).message).toMatch(/"a".*; .*"b"/);
  });
});

test('a failure in a remote registry is an error here too', async () => {
  const main = createRegistry();
  const { registry } = remoteOf(main, { name: 'worker 7' });
  registry.add({ name: 'kernel map', collect: () => Promise.reject(new Error('no such map')) });
  record(registry, 1);
  const snapshot = await main.gather();
  expect(snapshot.errors).toMatchObject([
    { source: 'worker 7', error: { message: 'kernel map: no such map' } },
  ]);
  expect(countOf(snapshot)).toBe(1);
});
