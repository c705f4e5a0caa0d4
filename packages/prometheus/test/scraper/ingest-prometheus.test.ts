import { bucketCounts, createRegistry, type Registry } from '@hdrscope/registry';
import {
  type FetchedExposition,
  type IngestPrometheusOptions,
  ingestPrometheus,
  type PrometheusIngestion,
} from '../../src/scraper/index.ts';

/** Cumulative counts of values up to 1, up to 2 and of all values. */
type Counts = readonly [number, number, number];

interface Page {
  readonly labels?: string;
  readonly counts: Counts;
  readonly createdSeconds?: number;
  readonly time?: string;
}

function page(...series: readonly Page[]): FetchedExposition {
  const lines = series.flatMap(({ labels = '', counts, createdSeconds, time = '' }) => [
    ...['1', '2', '+Inf'].map((le, i) => `x_seconds_bucket{${labels}le="${le}"} ${counts[i]}${time}`),
    ...(createdSeconds === undefined ? [] : [`x_seconds_created{${labels}} ${createdSeconds}`]),
  ]);
  const text = `# TYPE x_seconds histogram\n${lines.map((line) => `${line}\n`).join('')}# EOF\n`;
  return { bytes: Buffer.from(text), format: 'openmetrics' };
}

/** A target whose next answer is set by the test. */
function target(options: IngestPrometheusOptions = {}, registry: Registry = createRegistry()) {
  let next: FetchedExposition = page();
  const ingestion: PrometheusIngestion = ingestPrometheus(registry, async () => next, options);
  return {
    ingestion,
    registry,
    scrape(...series: readonly Page[]) {
      next = page(...series);
      return ingestion.scrape();
    },
    async totals(): Promise<Record<string, number>> {
      const { families } = await registry.gather();
      const all = families.flatMap(({ series }) => series);
      return Object.fromEntries(
        all.map(({ attributes, histogram }) => [JSON.stringify(attributes), histogram.totalCount]),
      );
    },
  };
}

describe('the values of a target', () => {
  test('are those of its first answer, and what later ones add', async () => {
    const { scrape, registry } = target();
    expect(await scrape({ counts: [1, 3, 4] })).toMatchObject({
      values: 4,
      histograms: 1,
      refused: 0,
      problems: [],
    });
    expect((await scrape({ counts: [1, 3, 4] })).values).toBe(0);
    expect((await scrape({ counts: [2, 5, 6] })).values).toBe(2);
    const [family] = (await registry.gather()).families;
    expect(family).toMatchObject({ name: 'x_seconds', unit: 's', boundaries: [1, 2] });
    expect(bucketCounts(family!, family!.series[0]!, [1, 2])).toEqual([2, 3, 1]);
  });

  test('are those since the first answer, when the target counts from now', async () => {
    const { scrape, totals } = target({ since: 'now' });
    expect((await scrape({ counts: [1, 3, 4] })).values).toBe(0);
    await scrape({ counts: [1, 3, 9] }, { labels: 'a="new",', counts: [0, 0, 2] });
    expect(await totals()).toEqual({ '{}': 5, '{"a":"new"}': 2 });
  });

  test('count once when a second ingestion goes on with the memory of the first', async () => {
    const first = target();
    await first.scrape({ counts: [1, 3, 4] });
    await first.ingestion.close();
    const second = target({ memory: first.ingestion.memory }, first.registry);
    expect((await second.scrape({ counts: [1, 3, 5] })).values).toBe(1);
  });

  test('of a series that is gone stay, and are not counted again when it comes back', async () => {
    const { scrape, totals } = target();
    await scrape({ counts: [1, 1, 4] });
    await scrape();
    expect(await totals()).toEqual({ '{}': 4 });
    await scrape({ counts: [1, 1, 6] });
    expect(await totals()).toEqual({ '{}': 6 });
  });

  test('of a series that comes back lower are all new: it was restarted', async () => {
    const { scrape, totals, ingestion } = target();
    await scrape({ counts: [1, 1, 4] });
    await scrape();
    await scrape({ counts: [0, 0, 3] });
    expect(await totals()).toEqual({ '{}': 7 });
    expect(ingestion.health.resets).toBe(1);
  });
});

describe('a restart', () => {
  const NOW = 1_700_000_000;

  test('is known by another start, also when no count is lower', async () => {
    const { scrape, totals, ingestion } = target();
    await scrape({ counts: [1, 1, 4], createdSeconds: NOW });
    await scrape({ counts: [2, 2, 5], createdSeconds: NOW + 60 });
    expect(await totals()).toEqual({ '{}': 9 });
    expect(ingestion.health.newLives).toBe(1);
  });

  test('is not seen in a start that wanders within a second', async () => {
    const { scrape, totals } = target();
    for (const wandering of [0, 0.7, -0.4, 0.2])
      await scrape({ counts: [1, 1, 4], createdSeconds: NOW + wandering });
    expect(await totals()).toEqual({ '{}': 4 });
  });

  test('is not seen in two processes that answer in turn under one address', async () => {
    const { scrape, totals } = target();
    for (let i = 1; i <= 4; i++) {
      await scrape({ counts: [i, i, i], createdSeconds: NOW });
      await scrape({ counts: [10 * i, 10 * i, 10 * i], createdSeconds: NOW + 500 });
    }
    expect(await totals()).toEqual({ '{}': 44 });
  });

  test.each([
    ['first stated later', [undefined, NOW, NOW]],
    ['stated no more', [NOW, undefined, NOW]],
  ])('is not seen in a start that is %s', async (_, starts) => {
    const { scrape, totals } = target();
    let count = 1;
    for (const createdSeconds of starts) {
      await scrape({
        counts: [count, count, count],
        ...(createdSeconds !== undefined && { createdSeconds }),
      });
      count++;
    }
    expect(await totals()).toEqual({ '{}': 3 });
  });

  test('is not seen in an older answer, as a cache gives it', async () => {
    const { scrape, totals } = target();
    await scrape({ counts: [1, 1, 4], time: ' 1700000010' });
    await scrape({ counts: [1, 1, 2], time: ' 1700000005' });
    await scrape({ counts: [1, 1, 5], time: ' 1700000015' });
    expect(await totals()).toEqual({ '{}': 5 });
  });
});

describe('labels', () => {
  const SERIES = { labels: 'job="own",instance="i",path="/",', counts: [0, 0, 1] } as const;
  const attributes = { job: 'web', instance: 'a:80' };

  test('of the target take precedence, and equal ones of a series are exported_', async () => {
    const { scrape, totals } = target({ attributes });
    await scrape(SERIES);
    expect(Object.keys(await totals()).map((text) => JSON.parse(text))).toEqual([
      { exported_job: 'own', exported_instance: 'i', path: '/', job: 'web', instance: 'a:80' },
    ]);
  });

  test('of a series take precedence where they are honoured', async () => {
    const { scrape, totals } = target({ attributes, honorLabels: true });
    await scrape(SERIES);
    expect(Object.keys(await totals()).map((text) => JSON.parse(text))).toEqual([
      { job: 'own', instance: 'i', path: '/' },
    ]);
  });

  test('that are dropped make series one, with the counts of all of them', async () => {
    const { scrape, totals } = target({ dropAttributes: { 'x_*': ['path'] } });
    await scrape({ labels: 'path="/a",', counts: [0, 0, 1] }, { labels: 'path="/b",', counts: [0, 0, 2] });
    expect(await totals()).toEqual({ '{}': 3 });
  });
});

describe('a scrape', () => {
  test('refuses a histogram that contradicts itself with a sentence, and takes the others', async () => {
    const { scrape, totals } = target();
    const report = await scrape(
      { labels: 'a="bad",', counts: [3, 2, 4] },
      { labels: 'a="good",', counts: [1, 2, 4] },
    );
    expect(report).toMatchObject({
      ...{ histograms: 1, values: 4, refused: 1 },
      problems: ['x_seconds{a="bad"} has fewer values up to 2, 2, than up to a smaller bound, 3'],
    });
    expect(await totals()).toEqual({ '{"a":"good"}': 4 });
  });

  test('refuses further histograms than are remembered', async () => {
    const { scrape } = target({ maxStreams: 1 });
    const { refused, problems } = await scrape(
      { counts: [0, 0, 1] },
      { labels: 'a="1",', counts: [0, 0, 1] },
    );
    expect(refused).toBe(1);
    expect(problems[0]).toMatch('the limit of 1 streams (maxStreams) is reached');
  });

  test('takes only the metrics that are chosen', async () => {
    const { scrape } = target({ metrics: ['y_*'] });
    expect(await scrape({ counts: [0, 0, 1] })).toMatchObject({ histograms: 0, values: 0 });
  });

  test('adds nothing of an answer that is cut off', async () => {
    const whole = page({ counts: [1, 2, 3] });
    const cut = { ...whole, bytes: whole.bytes.subarray(0, whole.bytes.length - 8) };
    const { health, scrape } = ingestPrometheus(createRegistry(), async () => cut);
    await expect(scrape()).rejects.toThrow('the answer is cut off');
    expect(health.values).toBe(0);
  });

  test('that is under way is shared', async () => {
    let asked = 0;
    const { scrape } = ingestPrometheus(createRegistry(), async () => {
      asked++;
      return page({ counts: [0, 0, 1] });
    });
    await Promise.all([scrape(), scrape()]);
    expect(asked).toBe(1);
  });
});

test.each([
  ['an unknown option', { metric: ['x'] }, 'ERR_INVALID_OPTION'],
  ['patterns that are no texts', { metrics: [1] }, 'ERR_INVALID_OPTION'],
])('%s is refused', (_, options, code) => {
  expect(() => ingestPrometheus(createRegistry(), async () => page(), options as never)).toThrow(
    expect.objectContaining({ code }),
  );
});
