import { Slices } from '@hdrscope/kit';
import { createRegistry, type Registry } from '@hdrscope/registry';
import { readShown, showSnapshot } from '@hdrscope/registry/internal';
import { Exposition } from '../src/exposition.ts';
import { toLazyFamilies } from '../src/from-registry.ts';
import { convertSnapshot, type ExpositionFormat, prometheusHandler, render } from '../src/index.ts';
import type { EarlierMetric } from '../src/lazy-family.ts';
import { respond } from './support/respond.ts';
import { ACCEPT, describeScrapes } from './support/scrape-law.ts';

describeScrapes(10);

describe('a scrape', () => {
  test('shows boundaries that have changed since the scrape before', async () => {
    const registry = createRegistry();
    registry.histogram({ name: 'x' }).with({}).record(3);
    let boundaries = [1];
    const handler = prometheusHandler(registry, { classicBoundaries: () => boundaries });
    await respond(handler);
    boundaries = [2, 4];
    const { body } = await respond(handler);
    expect(`${body}`).toContain('x_bucket{le="4"} 1\n');
  });

  test('shows what a source of families has changed in its own objects', async () => {
    const value = { kind: 'number' as const, value: 1 };
    const family = {
      name: 'x',
      help: '',
      unit: '',
      type: 'gauge' as const,
      metrics: [{ labels: [], value }],
    };
    const handler = prometheusHandler(createRegistry(), { sources: [() => [family]] });
    await respond(handler);
    value.value = 2;
    expect(`${(await respond(handler)).body}`).toContain('x 2\n');
  });
});

describe.each([
  ['states of a snapshot', async (registry: Registry) => showSnapshot(await registry.gather())],
  ['the series themselves', readShown],
])('an exposition of %s', (_, read) => {
  const SERIES = 1000;

  async function filled(): Promise<Registry> {
    const registry = createRegistry();
    for (let i = 0; i < SERIES; i++) registry.histogram({ name: 'x' }).with({ i }).record(i);
    return registry;
  }

  /** The pieces of a scrape, and how many metrics were made for it. */
  async function scraped(exposition: Exposition, registry: Registry, format: ExpositionFormat) {
    let made = 0;
    const families = toLazyFamilies(await read(registry), {}).map((family) => ({
      ...family,
      parts: family.parts.map((part) => ({
        ...part,
        metricOf(state: object, earlier?: EarlierMetric) {
          made++;
          return part.metricOf(state, earlier);
        },
      })),
    }));
    return { pieces: await exposition.render(families, { format }, new Slices()), made: () => made };
  }

  test('makes only the metrics of series that have changed', async () => {
    const registry = await filled();
    const exposition = new Exposition(() => {});
    expect((await scraped(exposition, registry, 'protobuf')).made()).toBe(SERIES);
    expect((await scraped(exposition, registry, 'protobuf')).made()).toBe(0);
    for (const i of [0, 1, 500, SERIES]) registry.histogram({ name: 'x' }).with({ i }).record(1);
    expect((await scraped(exposition, registry, 'protobuf')).made()).toBe(4);
  });

  test('makes no metrics because other series have ended, and forgets those', async () => {
    const registry = await filled();
    const exposition = new Exposition(() => {});
    await scraped(exposition, registry, 'protobuf');
    for (const i of [0, 5, 63, 64, 700, SERIES - 1]) registry.histogram({ name: 'x' }).remove({ i });
    for (let i = 100; i < 300; i++) registry.histogram({ name: 'x' }).remove({ i });
    registry.histogram({ name: 'x' }).with({ i: 0 }).record(1);
    const { pieces, made } = await scraped(exposition, registry, 'protobuf');
    expect(made()).toBe(1);
    const expected = render(convertSnapshot(await registry.gather()), 'protobuf');
    expect(Buffer.compare(Buffer.concat(pieces), expected)).toBe(0);
    registry.histogram({ name: 'x' }).clear();
    expect((await scraped(exposition, registry, 'protobuf')).pieces).toEqual([]);
  });

  test('fills the last block with new series', async () => {
    const registry = createRegistry();
    const exposition = new Exposition(() => {});
    for (let i = 0; i < 130; i++) {
      registry.histogram({ name: 'x' }).with({ i }).record(i);
      const { pieces, made } = await scraped(exposition, registry, 'protobuf');
      expect(made()).toBe(1);
      // The head of the family, and a piece for 64 series.
      expect(pieces).toHaveLength(1 + Math.ceil((i + 1) / 64));
    }
  });

  test('compares the labels of series only when there are new series', async () => {
    const registry = await filled();
    const exposition = new Exposition(() => {});
    let compared = 0;
    const scrape = async () => {
      const families = toLazyFamilies(await read(registry), {}).map((family) => ({
        ...family,
        parts: family.parts.map((part) => ({
          ...part,
          labelsOf(state: object) {
            compared++;
            return part.labelsOf(state);
          },
        })),
      }));
      await exposition.render(families, { format: 'text' }, new Slices());
      return compared;
    };
    expect(await scrape()).toBe(SERIES);
    registry.histogram({ name: 'x' }).with({ i: 1 }).record(1);
    expect(await scrape()).toBe(SERIES);
    registry.histogram({ name: 'x' }).remove({ i: 7 });
    expect(await scrape()).toBe(SERIES);
    registry.histogram({ name: 'x' }).with({ i: SERIES }).record(1);
    expect(await scrape()).toBe(2 * SERIES);
  });

  test('forgets a format that the last ten scrapes did not ask for', async () => {
    const registry = await filled();
    const exposition = new Exposition(() => {});
    const made = async (format: ExpositionFormat) => (await scraped(exposition, registry, format)).made();
    await made('text');
    for (let i = 0; i < 10; i++) await made('protobuf');
    expect(await made('text')).toBe(0);
    for (let i = 0; i < 11; i++) await made('protobuf');
    expect(await made('text')).toBe(SERIES);
  });

  test('has the right bytes when scrapes overlap', async () => {
    const registry = await filled();
    const exposition = new Exposition(() => {});
    const expected = async () => render(convertSnapshot(await registry.gather()), 'protobuf');
    for (let round = 0; round < 5; round++) {
      const before = await expected();
      const first = scraped(exposition, registry, 'protobuf');
      await Promise.resolve();
      const [one, other] = await Promise.all([first, scraped(exposition, registry, 'protobuf')]);
      for (const { pieces } of [one, other]) expect(Buffer.compare(Buffer.concat(pieces), before)).toBe(0);
      registry.histogram({ name: 'x' }).with({ i: round }).record(1);
    }
  });
});

test('a scrape of many series lets timers run in between', async () => {
  const registry = createRegistry();
  const family = registry.histogram({ name: 'x', cardinalityLimit: 8000 });
  for (let i = 0; i < 8000; i++) family.with({ i }).record(i);
  const handler = prometheusHandler(registry);
  // Snapshots of the series are taken here, and not by the scrapes below.
  await respond(handler);
  let ticks = 0;
  const timer = setInterval(() => ticks++, 1);
  try {
    for (const format of ['protobuf', 'openmetrics'] as const) {
      const before = ticks;
      const { status } = await respond(handler, { accept: ACCEPT[format] });
      expect(status).toBe(200);
      // It takes some 50 ms.
      expect(ticks - before).toBeGreaterThan(3);
    }
  } finally {
    clearInterval(timer);
  }
});
