import { FakeClock } from '@hdrscope/testing/fake-clock';
import { expectRefused, refusalOf } from '@hdrscope/testing/refusals';
import { createRegistry, type FamilyOptions, type Source } from '../src/index.ts';
import { familyIn, onlySeries } from './support/state.ts';

describe('registering a family', () => {
  const OPTIONS: FamilyOptions = {
    name: 'http.duration',
    unit: 's',
    description: 'How long requests take.',
    significantDigits: 3,
    cardinalityLimit: 10,
    scope: { name: 'http', version: '1' },
  };

  test('gives the same family again for equal options', () => {
    const registry = createRegistry();
    const family = registry.histogram(OPTIONS);
    expect(registry.histogram({ ...OPTIONS })).toBe(family);
    expect(registry.histogram({ ...OPTIONS, scope: { version: '1', name: 'http' } })).toBe(family);
    expect(registry.histogram({ ...OPTIONS, resolution: 1e-9 })).toBe(family);
  });

  test('uses the defaults of options that are left out', () => {
    const registry = createRegistry();
    const family = registry.histogram({ name: 'x' });
    expect(
      registry.histogram({
        name: 'x',
        unit: '',
        resolution: 1e-3,
        significantDigits: 2,
        cardinalityLimit: 2000,
      }),
    ).toBe(family);
  });

  test.each<[message: string, options: Partial<FamilyOptions>]>([
    ['the family "http.duration" is registered with unit "s", got "ms"', { unit: 'ms' }],
    ['the family "http.duration" is registered with resolution 1e-9, got 0.001', { resolution: 1e-3 }],
    ['the family "http.duration" is registered with significantDigits 3, got 2', { significantDigits: 2 }],
    ['the family "http.duration" is registered with cardinalityLimit 10, got 11', { cardinalityLimit: 11 }],
  ])('%s', (message, options) => {
    const registry = createRegistry();
    const family = registry.histogram(OPTIONS);
    const refusal = refusalOf(() => registry.histogram({ ...OPTIONS, ...options }));
    expect(refusal.code).toBe('ERR_ALREADY_REGISTERED');
    expect(refusal.message).toBe(message.replace('1e-9', JSON.stringify(1e-9)));
    expect(registry.histogram(OPTIONS)).toBe(family);
  });

  test.each<[options: unknown]>([[undefined], [null], ['x'], [{ name: 7 }], [{ name: 'x', scope: null }]])(
    'refuses the options %j',
    (options) => {
      expectRefused(() => createRegistry().histogram(options as FamilyOptions), 'ERR_INVALID_OPTION');
    },
  );

  test('refuses wrong options also for a known name, and keeps nothing of them', async () => {
    const registry = createRegistry();
    expectRefused(() => registry.histogram({ name: 'x', significantDigits: 9 }), 'ERR_INVALID_OPTION');
    expect((await registry.gather()).families).toEqual([]);
    registry.histogram({ name: 'x' });
    expectRefused(() => registry.histogram({ name: 'x', significantDigits: 9 }), 'ERR_INVALID_OPTION');
    expect((await registry.gather()).families).toHaveLength(1);
  });

  test('identifies families by their name and by every part of their scope', async () => {
    const registry = createRegistry();
    const scopes = [
      undefined,
      { name: 'a' },
      { name: 'b' },
      { name: 'a', version: '1' },
      { name: 'a', schemaUrl: '1' },
      { name: 'a', version: '1', schemaUrl: '1' },
    ];
    const families = scopes.flatMap((scope) =>
      ['x', 'y'].map((name) => registry.histogram({ name, ...(scope && { scope }) })),
    );
    expect(new Set(families).size).toBe(12);
    families.forEach((family, i) => {
      for (let n = 0; n <= i; n++) family.with({}).record(1);
    });
    const snapshot = await registry.gather();
    expect(snapshot.families.map((family) => onlySeries(family).histogram.totalCount)).toEqual(
      families.map((_, i) => i + 1),
    );
    expect(snapshot.families.map((family) => family.scope)).toEqual(
      scopes.flatMap((scope) => [scope, scope]),
    );
  });

  test('keeps registries apart', () => {
    const [one, other] = [createRegistry(), createRegistry()];
    expect(one.histogram({ name: 'x' })).not.toBe(other.histogram({ name: 'x' }));
  });
});

describe('sources', () => {
  /** A source that adds one value to a family of its own name. */
  function counting(name: string): Source {
    return { name, collect: (registry) => void registry.histogram({ name }).with({}).record(1) };
  }

  test('are asked at every gather, and may register their families', async () => {
    const registry = createRegistry();
    registry.add(counting('sync'));
    registry.add({
      name: 'async',
      collect: async (target) => {
        await Promise.resolve();
        target.histogram({ name: 'async' }).with({}).record(1);
      },
    });
    for (let times = 1; times <= 3; times++) {
      const snapshot = await registry.gather();
      expect(onlySeries(familyIn(snapshot, 'sync')).histogram.totalCount).toBe(times);
      expect(onlySeries(familyIn(snapshot, 'async')).histogram.totalCount).toBe(times);
      expect(snapshot.errors).toEqual([]);
    }
  });

  test('are not asked before the first gather', () => {
    const registry = createRegistry();
    registry.add({ name: 'early', collect: () => expect('asked').toBe('not asked') });
    registry.histogram({ name: 'x' });
  });

  test('that fail are named with their errors, and do not affect the others', async () => {
    const registry = createRegistry();
    const failure = new Error('no such socket');
    registry.add({
      name: 'throws',
      collect: () => {
        throw failure;
      },
    });
    registry.add(counting('good'));
    registry.add({ name: 'rejects', collect: () => Promise.reject('a text') });
    registry.add({
      name: 'fails in the middle',
      collect: async (target) => {
        target.histogram({ name: 'partial' }).with({}).record(1);
        await Promise.resolve();
        target.histogram({ name: 'partial', unit: 's' });
      },
    });
    registry.add(counting('also good'));

    const snapshot = await registry.gather();
    expect(snapshot.errors.map(({ source }) => source)).toEqual(['throws', 'rejects', 'fails in the middle']);
    expect(snapshot.errors[0]!.error).toBe(failure);
    expect(snapshot.errors[1]!.error).toBe('a text');
    expect(snapshot.errors[2]!.error).toMatchObject({ code: 'ERR_ALREADY_REGISTERED' });
    expect(snapshot.families.map(({ name }) => name).sort()).toEqual(['also good', 'good', 'partial']);
  });

  test('that recover are no longer named', async () => {
    const registry = createRegistry();
    let isBroken = true;
    registry.add({
      name: 'flaky',
      collect: () => {
        if (isBroken) throw new Error('broken');
      },
    });
    expect((await registry.gather()).errors).toHaveLength(1);
    isBroken = false;
    expect((await registry.gather()).errors).toEqual([]);
  });

  test('are asked side by side', async () => {
    const registry = createRegistry();
    let releaseFirst = (): void => {};
    registry.add({ name: 'waits', collect: () => new Promise((resolve) => (releaseFirst = resolve)) });
    registry.add({ name: 'releases', collect: () => releaseFirst() });
    expect((await registry.gather()).errors).toEqual([]);
  });

  test('that are removed are not asked again, and their counts stay', async () => {
    const registry = createRegistry();
    const remove = registry.add(counting('removed'));
    registry.add(counting('kept'));
    await registry.gather();
    remove();
    remove();
    const snapshot = await registry.gather();
    expect(onlySeries(familyIn(snapshot, 'removed')).histogram.totalCount).toBe(1);
    expect(onlySeries(familyIn(snapshot, 'kept')).histogram.totalCount).toBe(2);
  });

  test('may come and go while others are asked', async () => {
    const registry = createRegistry();
    const remove = registry.add({
      name: 'replaces itself',
      collect: (target) => {
        remove();
        target.add(counting('successor'));
      },
    });
    expect((await registry.gather()).families).toEqual([]);
    expect((await registry.gather()).families).toHaveLength(1);
  });

  test('that are added twice are asked once', async () => {
    const registry = createRegistry();
    const source = counting('twice');
    registry.add(source);
    registry.add(source);
    expect(onlySeries(familyIn(await registry.gather(), 'twice')).histogram.totalCount).toBe(1);
  });

  test('may be slow: values that are recorded meanwhile are in the snapshot', async () => {
    const registry = createRegistry();
    const series = registry.histogram({ name: 'x' }).with({});
    registry.add({
      name: 'slow',
      collect: async () => {
        await Promise.resolve();
        series.record(1);
      },
    });
    const gathering = registry.gather();
    series.record(1);
    expect(onlySeries(familyIn(await gathering, 'x')).histogram.totalCount).toBe(2);
  });
});

describe('a snapshot', () => {
  test('has the time of the clock, or the given time', async () => {
    const registry = createRegistry({ clock: new FakeClock(1234) });
    expect((await registry.gather()).timeMs).toBe(1234);
    expect((await registry.gather({})).timeMs).toBe(1234);
    expect((await registry.gather({ nowMs: 0 })).timeMs).toBe(0);
  });

  test('has the time at which its sources were done', async () => {
    const clock = new FakeClock(1000);
    const registry = createRegistry({ clock });
    registry.add({ name: 'slow', collect: () => clock.advance(500) });
    expect((await registry.gather()).timeMs).toBe(1500);
  });

  test('describes its families', async () => {
    const registry = createRegistry({ clock: new FakeClock(1000) });
    const family = registry.histogram({
      name: 'x',
      unit: 's',
      description: 'All of it.',
      significantDigits: 3,
      scope: { name: 'shop' },
    });
    family.with({ a: 1 }).record(0.25);
    const [snapshot] = (await registry.gather()).families;
    expect(snapshot).toMatchObject({
      name: 'x',
      unit: 's',
      description: 'All of it.',
      scope: { name: 'shop' },
      resolution: { ticksPerUnit: 1e9, unitsPerTick: 1 },
      series: [{ attributes: { a: 1 }, startTimeMs: 1000, sum: 0.25, min: 0.25, max: 0.25 }],
    });
    expect(snapshot!.layout).toBe(family.layout);
    expect(snapshot!.unitLayout).toBe(family.unitLayout);
    expect(snapshot!.series[0]!.histogram.layout).toBe(family.layout);
  });

  test('shows families and series in the order in which they were made', async () => {
    const registry = createRegistry();
    for (const name of ['z', 'a', 'm']) registry.histogram({ name });
    for (const user of [3, 1, 2]) registry.histogram({ name: 'z' }).with({ user });
    const { families } = await registry.gather();
    expect(families.map(({ name }) => name)).toEqual(['z', 'a', 'm']);
    expect(families[0]!.series.map(({ attributes }) => attributes.user)).toEqual([3, 1, 2]);
  });

  test('stays as it is whatever is recorded later', async () => {
    const registry = createRegistry();
    const family = registry.histogram({ name: 'x' });
    family.with({ a: 1 }).record(1);
    const snapshot = await registry.gather();
    family.with({ a: 1 }).record(1);
    family.with({ a: 2 }).record(1);
    registry.histogram({ name: 'y' });
    expect(snapshot.families).toHaveLength(1);
    expect(onlySeries(familyIn(snapshot, 'x')).histogram.totalCount).toBe(1);
  });

  test('is frozen in all its parts', async () => {
    const registry = createRegistry();
    registry
      .histogram({ name: 'x', scope: { name: 'shop' } })
      .with({ a: [1] })
      .record(1);
    registry.add({ name: 'broken', collect: () => Promise.reject(new Error('broken')) });
    const first = await registry.gather();
    registry
      .histogram({ name: 'x', scope: { name: 'shop' } })
      .with({ a: [1] })
      .record(2);
    const second = await registry.gather();
    for (const snapshot of [first, second, second.since(first)]) {
      const family = familyIn(snapshot, 'x');
      const { attributes, rejected } = onlySeries(family);
      const parts = [
        ...[snapshot, snapshot.families, snapshot.errors, snapshot.errors[0], family, family.scope],
        ...[family.series, onlySeries(family), attributes, attributes.a, rejected],
      ];
      expect(parts.map((part) => Object.isFrozen(part))).toEqual(parts.map(() => true));
    }
  });
});

test('a gather that fails because the clock throws does not stop later ones', async () => {
  const clock = new FakeClock(1000);
  let isBroken = false;
  const nowMs = (): number => {
    if (isBroken) throw new Error('no time');
    return clock.nowMs();
  };
  const registry = createRegistry({ clock: { nowMs, monotonicMs: () => clock.monotonicMs() } });
  isBroken = true;
  await expect(registry.gather()).rejects.toThrow('no time');
  isBroken = false;
  expect((await registry.gather()).timeMs).toBe(1000);
});
