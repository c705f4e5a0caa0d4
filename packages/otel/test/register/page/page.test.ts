import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Registry as Counts } from '@hdrscope/registry';
import { type RegistrySource, readState, type ShownFamily } from '@hdrscope/registry/internal';
import { describeWithPeers, importOpenTelemetry3 } from '@hdrscope/testing';
import fc from 'fast-check';
import { Counter, Registry } from 'prom-client';
import * as sdk2 from 'sdk-metrics-2';
import * as sdk20 from 'sdk-metrics-2.0';
import { createHdr } from '../../../src/index.ts';
import { openPage, type Page } from '../../../src/register/page/page.ts';
import { findPlace } from '../../../src/register/page/place.ts';
import { type PromClient, readPromClient } from '../../../src/register/prom-client.ts';
import type { MetricCollection, Producer, Reader } from '../../../src/sdk.ts';
import { type Sdk, testReader } from '../../support/sdk.ts';

const folder = mkdtempSync(join(tmpdir(), 'hdrscope-page-'));
const { XDG_RUNTIME_DIR: runtimeFolder } = process.env;
beforeAll(() => {
  process.env.XDG_RUNTIME_DIR = folder;
});
afterAll(() => {
  if (runtimeFolder === undefined) delete process.env.XDG_RUNTIME_DIR;
  else process.env.XDG_RUNTIME_DIR = runtimeFolder;
  rmSync(folder, { recursive: true });
});

/** A process of a service, as far as its page is concerned. */
interface Member {
  readonly page: Page;
  readonly source: RegistrySource<Producer>;
  readonly warnings: string[];
  /** What its live page shows, in a process that leads. */
  live: Counts | undefined;
  record(): void;
}

/** How many values a scrape shows: in a histogram, in a counter of the SDK and in one of prom-client, and the live page in a histogram. */
interface Shown {
  readonly histogram: number;
  readonly orders: number;
  readonly jobs: number;
  readonly live?: number;
}

let lastService = 0;

/** A service whose processes are objects of this one. */
class Service {
  readonly #sdk: Sdk;
  readonly #hasLivePage: boolean;
  readonly #place = findPlace({ host: 'localhost', port: 9464, service: `shop ${lastService++}` });
  /** Who has the port. */
  #holder: Member | undefined;
  readonly members: Member[] = [];
  recorded = 0;

  constructor(sdk: Sdk, hasLivePage = false) {
    this.#sdk = sdk;
    this.#hasLivePage = hasLivePage;
  }

  start(client?: PromClient, isOneOfSeveral = true): Member {
    const hdr = createHdr({ views: [{ instrumentName: 'basket' }] });
    const warnings: string[] = [];
    const prom = new Registry();
    const jobs = new Counter({ name: 'jobs_total', help: 'Jobs', registers: [prom] });
    const page = openPage({
      place: this.#place,
      registry: hdr.registry,
      isOneOfSeveral,
      listen: async () => {
        if (this.#holder !== undefined) throw Object.assign(new Error('taken'), { code: 'EADDRINUSE' });
        this.#holder = member;
      },
      promClient: client ?? readPromClient([() => [prom]]),
      ...(this.#hasLivePage && {
        livePage: {
          serve: (shown) => {
            member.live = shown;
          },
          close: () => {
            member.live = undefined;
          },
        },
      }),
      warn: (code, message) => warnings.push(`${code} ${message}`),
    });
    const reader = testReader(this.#sdk) as unknown as Reader;
    let source!: RegistrySource<Producer>;
    // As the exporter of `@hdrscope/prometheus`.
    Object.assign(reader, {
      setRegistrySource: (given: RegistrySource<Producer>) => {
        source = page.sourceOf(given);
      },
    });
    const provider = hdr.wrapProvider(
      new this.#sdk.metrics.MeterProvider({ readers: [hdr.wrapReader(reader) as never] }),
    );
    const meter = provider.getMeter('shop');
    const [sizes, orders] = [meter.createHistogram('basket'), meter.createCounter('orders')];
    const member: Member = {
      page,
      source,
      warnings,
      live: undefined,
      record: () => {
        sizes.record(this.recorded % 7);
        orders.add(1);
        jobs.inc();
        this.recorded++;
      },
    };
    this.members.push(member);
    page.join();
    return member;
  }

  /** Leaves a message, as a process does at its end. */
  leave(message: object): void {
    this.#place.leave(randomUUID(), message);
  }

  /** Ends a process. What it can do at its end, it does at once. */
  end(member: Member): void {
    this.members.splice(this.members.indexOf(member), 1);
    if (this.#holder === member) this.#holder = undefined;
    member.page.leave();
    member.page.abandon();
  }

  /** What a scrape shows, as soon as a process has the port and all have found it. */
  async scrape(): Promise<Shown> {
    const holder = await until(() => this.#holder);
    // As the exporter, which asks its sources at the same time.
    const [{ resourceMetrics }, prom] = await Promise.all([
      holder.source.producer.collect({ timeoutMillis: 1000 }),
      holder.page.promMetrics(),
    ]);
    const histogram = countIn(await holder.source.read({ timeoutMs: 1000 }, () => false));
    const jobs = sumOf(prom.flat().flatMap(({ values }) => values.map(({ value }) => value)));
    const shown = { histogram, orders: ordersIn(resourceMetrics), jobs };
    if (!this.#hasLivePage) return shown;
    return { ...shown, live: countIn(await (await until(() => holder.live)).gather()) };
  }

  /** Waits until scrapes show all that was recorded. */
  async expectAll(): Promise<void> {
    const { recorded } = this;
    const all = { histogram: recorded, orders: recorded, jobs: recorded };
    let shown: object = {};
    await until(async () => {
      const numbers = await this.scrape();
      shown = numbers;
      return Object.values(numbers).every((number) => number >= this.recorded) ? true : undefined;
    }).catch(() => undefined);
    expect(shown).toEqual({ ...all, ...(this.#hasLivePage && { live: recorded }) });
  }

  stop(): void {
    for (const member of [...this.members]) this.end(member);
  }
}

function countIn({ families }: { readonly families: readonly Pick<ShownFamily, 'series'>[] }): number {
  return sumOf(families.flatMap(({ series }) => series.map((shown) => readState(shown).counts.total)));
}

function ordersIn({ scopeMetrics }: MetricCollection['resourceMetrics']): number {
  const metrics = scopeMetrics.flatMap((scope) => scope.metrics) as unknown as readonly {
    readonly descriptor: { readonly name: string };
    readonly dataPoints: readonly { readonly value: number }[];
  }[];
  const orders = metrics.filter(({ descriptor }) => descriptor.name === 'orders');
  return sumOf(orders.flatMap(({ dataPoints }) => dataPoints.map(({ value }) => value)));
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

async function until<Found>(find: () => Found | undefined | Promise<Found | undefined>): Promise<Found> {
  for (const endMs = performance.now() + 8000; ; ) {
    const found = await find();
    if (found !== undefined) return found;
    if (performance.now() > endMs) throw new Error('nothing was found in time');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const STEPS = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ what: fc.constant('record'), which: fc.nat(9), count: fc.nat(20) }) },
    { weight: 2, arbitrary: fc.record({ what: fc.constant('start') }) },
    { weight: 2, arbitrary: fc.record({ what: fc.constant('end'), which: fc.nat(9) }) },
    { weight: 1, arbitrary: fc.record({ what: fc.constant('end of the leader') }) },
    { weight: 2, arbitrary: fc.record({ what: fc.constant('scrape') }) },
    { weight: 1, arbitrary: fc.record({ what: fc.constant('all') }) },
  ) as fc.Arbitrary<{ what: string; which?: number; count?: number }>,
  { minLength: 3, maxLength: 14 },
);

/** The third process leaves all that it has counted after it has begun to speak to the first one, and before that has read a word. */
const ENDS_BEFORE_IT_IS_HEARD = [
  ...[{ what: 'start' }, { what: 'record', which: 1, count: 1 }, { what: 'all' }, { what: 'end', which: 3 }],
  ...[{ what: 'start' }, { what: 'all' }, { what: 'start' }, { what: 'end', which: 4 }],
  { what: 'record', which: 9, count: 5 },
];

const suite = (metrics: object): void => {
  const sdk = { metrics } as Sdk;

  test('processes begin and end in any order: a page and the live page show each value once, and none is lost', async () => {
    await fc.assert(
      fc.asyncProperty(STEPS, fc.boolean(), async (steps, hasLivePage) => {
        const service = new Service(sdk, hasLivePage);
        service.start();
        try {
          for (const { what, which = 0, count = 0 } of steps) {
            const { members } = service;
            if (what === 'start' && members.length < 5) service.start();
            // Somebody stays: a page that all have left begins anew after a while.
            if (what === 'end' && members.length > 1) service.end(members[which % members.length]!);
            if (what === 'end of the leader' && members.length > 1) service.end(members[0]!);
            if (what === 'record') for (let i = 0; i < count; i++) members[which % members.length]!.record();
            if (what === 'scrape') {
              for (const number of Object.values(await service.scrape()))
                expect(number).toBeLessThanOrEqual(service.recorded);
            }
            if (what === 'all') await service.expectAll();
          }
          await service.expectAll();
          for (const { warnings } of service.members) expect(warnings).toEqual([]);
        } finally {
          service.stop();
        }
      }),
      {
        ...{ numRuns: 40, interruptAfterTimeLimit: 20_000, markInterruptAsFailure: false },
        examples: [[ENDS_BEFORE_IT_IS_HEARD, false]],
      },
    );
  }, 60_000);
};

test('what cannot be read of what a process left is named, and the page goes on', async () => {
  const sdk = { metrics: sdk2 } as unknown as Sdk;
  for (const message of [null, 7, {}, { changes: [{ hdrscope: 'changes' }], numbers: {} }] as object[]) {
    const service = new Service(sdk);
    service.leave(message);
    const member = service.start();
    member.record();
    await service.expectAll();
    expect(member.warnings.join()).toMatch(
      /^(HDRSCOPE_LOST what other processes have left cannot be read: .*)?$/,
    );
    service.stop();
  }
});

test('a live page changes no scrape of a process that is alone, which begins anew at 0', async () => {
  const service = new Service({ metrics: sdk2 } as unknown as Sdk, true);
  const first = service.start(undefined, false);
  first.record();
  await service.expectAll();
  const { resourceMetrics } = await first.source.producer.collect();
  expect(JSON.stringify(resourceMetrics)).not.toContain('process.pid');
  service.end(first);
  service.recorded = 0;
  service.start(undefined, false).record();
  await service.expectAll();
  service.stop();
});

test('a scrape does not wait longer than its timeout for metrics of prom-client', async () => {
  const service = new Service({ metrics: sdk2 } as unknown as Sdk);
  const never = {
    contentType: Registry.PROMETHEUS_CONTENT_TYPE,
    getMetricsAsArray: () => [],
    getSingleMetric: () => undefined,
    getMetricsAsJSON: () => new Promise<never>(() => {}),
  };
  const [first] = [
    service.start(readPromClient([() => [never]])),
    service.start(readPromClient([() => [never]])),
  ];
  first.record();
  await until(async () => ((await service.scrape()).orders === 1 ? true : undefined));
  const beganMs = performance.now();
  expect(await service.scrape()).toEqual({ histogram: 1, orders: 1, jobs: 0 });
  expect(performance.now() - beganMs).toBeLessThan(1000);
  service.stop();
});

test('what lies there for longer than 5 s is removed, and not on the page', async () => {
  const service = new Service({ metrics: sdk2 } as unknown as Sdk);
  const first = service.start();
  first.record();
  service.end(first);
  for (const file of readdirSync(join(folder, `hdrscope-${process.getuid?.()}`))) {
    const path = join(folder, `hdrscope-${process.getuid?.()}`, file);
    utimesSync(path, Date.now() / 1000 - 6, Date.now() / 1000 - 6);
  }
  service.recorded = 0;
  service.start().record();
  await service.expectAll();
  service.stop();
});

describe('SDK 2.0', () => suite(sdk20));
describe('SDK 2', () => suite(sdk2));
const sdk3 = await importOpenTelemetry3<object>('sdk-metrics-3');
describeWithPeers(['opentelemetry-3'])('SDK 3', () => suite(sdk3));
