import { appendFileSync, existsSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Histogram } from '@hdrscope/core';
import { createRegistry, type Registry } from '@hdrscope/registry';
import fc from 'fast-check';
import { formatSeriesTag } from '../../../src/index.ts';
import { openSink } from '../../../src/sink/open.ts';
import type { IntervalLogSink } from '../../../src/sink/sink.ts';
import { newDirectory } from '../../support/sandbox.ts';
import { factsOf, totalsIn } from './logs.ts';
import { surroundings } from './surroundings.ts';

const SERIES = [
  { family: { name: 'rpc', unit: 's' }, attributes: {} },
  { family: { name: 'rpc', unit: 's' }, attributes: { method: 'GET', status: 200 } },
  { family: { name: 'sizes', unit: 'By' }, attributes: { 'a b': ['x', 'y'] } },
] as const;

const fault = fc.record({
  operation: fc.constantFrom('write' as const, 'truncate' as const, 'datasync' as const, 'open' as const),
  code: fc.constantFrom('ENOSPC', 'EIO'),
  afterBytes: fc.constantFrom(0, 1, 100, 500, 2000),
});

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('record' as const), series: fc.nat(2), ticks: fc.nat(1e9) }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('flush' as const) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('fail' as const), fault }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('rotate' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('move' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('crash' as const),
      torn: fc.constantFrom('', 'Tag=rpc,1.0', 'Tag=rpc,1.000,1.000,0.0,HISTFAAA', '#[Histo', '\0\0\0'),
    }),
  },
);

/** The counts that a log must hold. */
class Model {
  readonly #written = new Map<string, Histogram>();
  #pending: [tag: string, ticks: number][] = [];

  record(tag: string, ticks: number): void {
    this.#pending.push([tag, ticks]);
  }

  commit(): void {
    for (const [tag, ticks] of this.#pending) {
      const histogram = this.#written.get(tag) ?? new Histogram({ autoResize: true, significantDigits: 2 });
      histogram.record(ticks);
      this.#written.set(tag, histogram);
    }
    this.#pending = [];
  }

  crash(): void {
    this.#pending = [];
  }

  facts(): Record<string, number[]> {
    return factsByTag(this.#written);
  }
}

function factsByTag(histograms: Map<string, Histogram>): Record<string, number[]> {
  const facts = [...histograms].map(([tag, histogram]) => [tag, factsOf(histogram)] as const);
  return Object.fromEntries(facts.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Describes what logs hold after so many histories of records, failures, rotations and crashes. */
export function describeSinkModel(histories: number): void {
  test('after any failures the logs hold every count up to the last successful write, once', async () => {
    let failures = 0;
    let rotations = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const directory = newDirectory();
        const path = join(directory, 'app.hlog');
        const { time, faulty, runtime } = surroundings();
        const model = new Model();
        let registry: Registry;
        let sink: IntervalLogSink;
        let moves = 0;
        const start = async (): Promise<void> => {
          registry = createRegistry({ clock: time });
          const options = {
            path,
            onError: () => {},
            fsync: 'interval',
            rotation: { sizeBytes: 6000 },
          } as const;
          sink = await openSink(registry, options, runtime);
        };
        const flush = async (): Promise<boolean> => {
          time.advance(10);
          const isWritten = await sink.flush();
          if (isWritten) model.commit();
          return isWritten;
        };
        await start();
        for (const one of steps) {
          time.advance(1);
          if (one.do === 'record') {
            const { family, attributes } = SERIES[one.series]!;
            registry!
              .histogram(family)
              .with(attributes)
              .record(family.unit === 's' ? one.ticks / 1e9 : one.ticks);
            model.record(formatSeriesTag(family.name, attributes), one.ticks);
          } else if (one.do === 'flush') {
            await flush();
          } else if (one.do === 'fail') {
            faulty.faults[one.fault.operation].push(one.fault);
          } else if (one.do === 'rotate') {
            const writtenBefore = sink!.health.writtenUntilMs;
            time.advance(10);
            await sink!.rotate();
            if (sink!.health.writtenUntilMs > writtenBefore) model.commit();
          } else if (one.do === 'move') {
            try {
              renameSync(path, join(directory, `moved-${moves++}.hlog`));
            } catch {
              // It was moved before, and has not been written since.
            }
          } else {
            failures += sink!.health.failures;
            rotations += sink!.health.rotations;
            // Without faults the flush succeeds. A torn part that could not be cut off would else be found after the crash.
            faulty.clear();
            expect(await flush()).toBe(true);
            // Lost in the crash.
            registry!.histogram({ name: 'lost' }).with({}).record(1);
            model.crash();
            await faulty.closeAll();
            // A crash of an empty file can only tear the header.
            const isEmpty = !existsSync(path) || statSync(path).size === 0;
            appendFileSync(path, isEmpty && one.torn.startsWith('Tag') ? '' : one.torn);
            await start();
          }
          // Less than a second passes, so no tick comes.
          expect(sink!.health.skippedTicks).toBe(0);
        }
        faulty.clear();
        time.advance(1);
        await sink!.close();
        expect(sink!.health.isFailing).toBe(false);
        model.commit();
        failures += sink!.health.failures;
        rotations += sink!.health.rotations;
        expect(factsByTag(await totalsIn(directory))).toEqual(model.facts());
      }),
      { numRuns: histories },
    );
    // Otherwise the test would not have tested failures.
    expect(failures).toBeGreaterThan(histories / 5);
    expect(rotations).toBeGreaterThan(histories / 5);
  });
}
