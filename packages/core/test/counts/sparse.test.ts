import fc from 'fast-check';
import { GROWTH, SparseCounts } from '../../src/counts/sparse.ts';
import { countsSince } from '../../src/increase.ts';
import { describeCounts } from '../support/counts-suite.ts';

describeCounts('sparse counts', (length) => new SparseCounts(length));

const LENGTH = 45_056;
/** The cells of the table: one for each of the 704 pages, in whole pages. */
const TABLE = 704;

describe('the memory of sparse counts', () => {
  test('is that of a list of slots up to 64 values, each two bytes', () => {
    const counts = new SparseCounts(65_536);
    for (let values = 0; values < 64; values++) {
      expect(counts.byteLength).toBe(2 * values);
      counts.increment(65_535 - (values % 4));
    }
    expect([0, 1, 2, 3].map((below) => counts.at(65_535 - below))).toEqual([16, 16, 16, 16]);
    counts.increment(0);
    expect(counts.byteLength).toBeGreaterThan(1000);
    expect([counts.at(0), counts.first, counts.last, counts.total]).toEqual([1, 0, 65_535, 65]);
  });

  test('has no list in layouts with more slots than characters, also after they grew', () => {
    const [wide, grown] = [new SparseCounts(65_537), new SparseCounts(100)];
    grown.increment(99);
    grown.resize(65_537);
    for (const counts of [wide, grown]) {
      counts.increment(65_536);
      expect(counts.at(65_536)).toBe(1);
      expect(counts.byteLength).toBeGreaterThan(1000);
    }
    expect([grown.at(99), grown.first, grown.last]).toEqual([1, 99, 65_536]);
  });

  test('is that of the pages in use, with a byte for each count', () => {
    const counts = new SparseCounts(LENGTH);
    for (let slot = 0; slot < 64; slot++) counts.add(slot, 2);
    expect(counts.byteLength).toBe(TABLE + 64);
    counts.increment(40_000);
    expect(counts.byteLength).toBeLessThanOrEqual(TABLE + 3 * 64);
  });

  test.each([
    [255, 1],
    [256, 2],
    [255 * 256, 2],
    [255 * 256 + 1, 3],
    [2 ** 53 - 3, 7],
  ])('has %d in pages of bytes, one for each digit, or a list of the first one: %d', (count, digits) => {
    const counts = new SparseCounts(LENGTH);
    counts.add(70, 1);
    counts.add(70, count - 1);
    counts.increment(71);
    expect(counts.byteLength).toBeLessThanOrEqual((TABLE + 64) * digits);
    expect(counts.byteLength).toBeGreaterThan((TABLE + 64) * (digits - 1));
    expect([counts.at(70), counts.at(71), counts.at(69), counts.total]).toEqual([count, 1, 0, count + 1]);
  });

  test('has a second table where there are more pages than a byte has numbers', () => {
    const counts = new SparseCounts(LENGTH);
    const slotOf = (page: number) => page * 64 + (page % 64);
    for (let page = 0; page < 300; page++) counts.increment(slotOf(page));
    expect(counts.byteLength).toBeLessThanOrEqual(TABLE + 300 * 64 * GROWTH + TABLE * 4);
    const copy = counts.freeze().clone();
    for (let times = 0; times < 300; times++) {
      for (let page = 0; page < 300; page++) copy.increment(slotOf(page));
    }
    for (let page = 0; page < 300; page++) {
      expect([counts.at(slotOf(page)), copy.at(slotOf(page))]).toEqual([1, 301]);
    }
    expect([counts.total, copy.total]).toEqual([300, 301 * 300]);
  });

  test('stays below a sixteenth above the used memory when all slots are used', () => {
    const counts = new SparseCounts(LENGTH);
    for (let slot = 0; slot < LENGTH; slot += 64) counts.increment(slot);
    expect(counts.byteLength).toBeLessThan((TABLE + LENGTH) * GROWTH + 4 * TABLE);
  });

  test('is exact after many slots were added at once', () => {
    const pages = 100;
    const slots = Int32Array.from({ length: pages }, (_, page) => page * 64 + 3);
    const counts = new SparseCounts(LENGTH);
    let rest = pages;
    counts.addRuns({
      total: pages,
      first: 3,
      last: slots.at(-1)!,
      slots,
      counts: new Float64Array(pages).fill(1),
      next: () => {
        const length = rest;
        rest = 0;
        return length;
      },
    });
    expect(counts.byteLength).toBe(TABLE + pages * 64);
  });

  test('is given back when cleared', () => {
    const counts = new SparseCounts(LENGTH);
    for (let slot = 0; slot < LENGTH; slot += 64) counts.add(slot, 2 ** 32);
    counts.clear();
    expect(counts.byteLength).toBe(0);
  });

  test('is not touched by reading', () => {
    const counts = new SparseCounts(LENGTH);
    const before = counts.byteLength;
    for (let slot = 0; slot < LENGTH; slot++)
      if (counts.at(slot) !== 0) throw new Error(`slot ${slot} is used`);
    expect(counts.byteLength).toBe(before);
  });
});

describe('frozen counts', () => {
  test('never change, whatever their clones count', () => {
    const counts = new SparseCounts(200);
    counts.add(70, 255);
    const frozen = counts.freeze();
    const [first, second] = [frozen.clone(), frozen.clone()];
    first.increment(70);
    second.add(130, 7);
    expect([frozen, first, second].map((one) => [one.at(70), one.at(130), one.total])).toEqual([
      [255, 0, 255],
      [256, 0, 256],
      [255, 7, 262],
    ]);
  });

  test.each([
    ['a value', (counts: SparseCounts) => counts.increment(70)],
    ['a value, by the fast way', (counts: SparseCounts) => expect(counts.tryIncrement(70)).toBe(false)],
    ['counts', (counts: SparseCounts) => counts.add(3, 5)],
    ['other counts', (counts: SparseCounts) => counts.addAll(counts.clone())],
    ['removals', (counts: SparseCounts) => counts.remove(70, 1)],
    ['a reset', (counts: SparseCounts) => counts.clear()],
    ['more slots', (counts: SparseCounts) => counts.resize(900)],
  ])('refuse %s', (_change, change) => {
    for (const held of [0, 9]) {
      const counts = new SparseCounts(200);
      counts.add(70, held);
      counts.freeze();
      try {
        change(counts);
      } catch (error) {
        expect(String(error)).toBe('TypeError: frozen counts do not change: clone them');
      }
      expect([counts.total, counts.at(70), counts.at(3), counts.length]).toEqual([held, held, 0, 200]);
    }
  });

  test('list what they have more than the counts that they were cloned from', () => {
    const added = (maxLength: number) =>
      fc.array(fc.tuple(fc.nat(899), fc.constantFrom(1, 2, 254, 255, 256, 255 ** 2, 2 ** 31)), { maxLength });
    fc.assert(
      fc.property(added(60), added(20), (before, after) => {
        const expected = new Array<number>(900).fill(0);
        const counts = new SparseCounts(900);
        counts.increment(0);
        for (const [slot, count] of before) counts.add(slot, count);
        const first = counts.freeze();
        const second = first.clone();
        for (const [slot, count] of after) {
          second.add(slot, count);
          expected[slot]! += count;
        }
        const listed = second.freeze().listedSince(first)!;
        expect(Array.from({ length: 900 }, (_, slot) => listed.at(slot))).toEqual(expected);
        expect(listed.total).toBe(second.total - first.total);
        expect([
          first.listedSince(second),
          second.listedSince(second),
          second.listedSince(new SparseCounts(900)),
        ]).toEqual([undefined, undefined, undefined]);
      }),
    );
  });

  test('do so with marks in between, and name slots among which all are that have changed since the last mark', () => {
    const change = fc.record({ slot: fc.nat(899), count: fc.constantFrom(1, 2, 254, 255, 70_000) });
    const step = fc.oneof(
      { weight: 4, arbitrary: change },
      { weight: 1, arbitrary: fc.constant('mark' as const) },
    );
    const steps = fc.array(step, { maxLength: 30 });
    fc.assert(
      fc.property(steps, steps, (before, after) => {
        let counts = new SparseCounts(900);
        let model = new Map<number, number>();
        let marked = new Map<number, number>();
        const run = (all: typeof before) => {
          for (const one of all) {
            if (one === 'mark') {
              counts.mark();
              marked = new Map(model);
              continue;
            }
            if (one.count === 1) counts.increment(one.slot);
            else counts.add(one.slot, one.count);
            model.set(one.slot, (model.get(one.slot) ?? 0) + one.count);
            const [first, last] = counts.changedSlots;
            const changed = [...model].filter(([slot, count]) => count !== (marked.get(slot) ?? 0));
            expect(changed.filter(([slot]) => slot < first || slot > last)).toEqual([]);
          }
        };
        run(before);
        const first = counts.freeze();
        const then = model;
        model = new Map(then);
        counts = first.clone();
        run(after);
        const listed = counts.freeze().listedSince(first);
        const slots = Array.from({ length: 900 }, (_, slot) => slot);
        const expected = slots.map((slot) => [then.get(slot) ?? 0, model.get(slot) ?? 0]);
        expect(slots.map((slot) => [first.at(slot), counts.at(slot)])).toEqual(expected);
        if (listed === undefined) return;
        expect(slots.map((slot) => listed.at(slot))).toEqual(expected.map(([was, is]) => is! - was!));
      }),
    );
  });

  test('have no changed slots after a mark, and a page of them after a record', () => {
    const counts = new SparseCounts(900);
    counts.mark();
    counts.increment(70);
    expect(counts.changedSlots).toEqual([64, 127]);
    counts.mark();
    const [first, last] = counts.changedSlots;
    expect(last).toBeLessThan(first);
    counts.increment(899);
    expect(counts.changedSlots).toEqual([896, 899]);
  });

  test('do so in the widest layouts too', () => {
    const length = 70_000 * 64;
    for (const page of [65_535, 65_536, 69_999]) {
      const first = new SparseCounts(length);
      first.add(5, 100);
      first.freeze();
      const second = first.clone();
      second.increment(page * 64);
      expect(second.freeze().listedSince(first)?.slots).toEqual(page <= 65_535 ? [page * 64] : undefined);
      expect(countsSince(second, first)!.counts.at(page * 64)).toBe(1);
    }
  });

  test('do not when they were cleared or resized, or many pages have changed', () => {
    const first = new SparseCounts(6000);
    first.add(70, 9);
    first.freeze();
    const [wide, cleared, resized] = [first.clone(), first.clone(), first.clone()];
    for (let slot = 0; slot < 6000; slot += 64) wide.increment(slot);
    cleared.clear();
    cleared.increment(3);
    resized.resize(9000);
    resized.increment(8000);
    for (const one of [wide, cleared, resized]) expect(one.freeze().listedSince(first)).toBeUndefined();
    expect([resized.at(70), resized.at(8000), cleared.at(70)]).toEqual([9, 1, 0]);
  });

  test('keep the counts that they had when they were frozen, in any sequence of records, freezes and drops', () => {
    const step = fc.oneof(
      { weight: 8, arbitrary: fc.record({ slot: fc.nat(899), count: fc.constantFrom(1, 2, 254, 70_000) }) },
      { weight: 2, arbitrary: fc.constant('freeze' as const) },
      { weight: 1, arbitrary: fc.constant('drop' as const) },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        let live = new SparseCounts(900);
        const model = new Map<number, number>();
        let held: { counts: SparseCounts; model: [number, number][] }[] = [];
        for (const one of steps) {
          if (one === 'drop') held = held.filter((state, i) => i % 2 === 0 || state.counts === live);
          else if (one === 'freeze') {
            held.push({ counts: live.freeze(), model: [...model] });
          } else {
            if (held.at(-1)?.counts === live) live = live.clone();
            if (one.count === 1) live.increment(one.slot);
            else live.add(one.slot, one.count);
            model.set(one.slot, (model.get(one.slot) ?? 0) + one.count);
          }
        }
        for (const { counts, model: expected } of [...held, { counts: live, model: [...model] }]) {
          expect(counts.total).toBe(expected.reduce((sum, [, count]) => sum + count, 0));
          for (const [slot, count] of expected) expect(counts.at(slot)).toBe(count);
        }
      }),
    );
  });
});
