import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Histogram, percentileInterval } from '@hdrscope/core';
import { countWithin } from '@hdrscope/core/internal';
import { createRegistry, valuesAtPercentiles } from '@hdrscope/registry';
import { lackOfFile, lackOfProgram, testUnless } from '@hdrscope/testing';
import { formatInterval, ingestLog, type LogInterval, openIntervalLog } from '../../src/index.ts';
import type { LoggedSeries } from '../../src/source/ingest-log.ts';
import { intervalsOf } from '../support/read.ts';
import { newDirectory } from '../support/sandbox.ts';

/** A log of three families, and the registry from which it was written. */
async function logOfThree(): Promise<{ path: string; registry: ReturnType<typeof createRegistry> }> {
  const path = join(newDirectory(), 'app.hlog');
  const registry = createRegistry();
  const sink = await openIntervalLog(registry, { path });
  const requests = registry.histogram({
    name: 'http.duration',
    unit: 's',
    significantDigits: 3,
    description: 'All',
  });
  const sizes = registry.histogram({ name: 'sizes', unit: 'By', scope: { name: 'lib', version: '1' } });
  const others = registry.histogram({
    name: 'sizes',
    unit: 'KiBy',
    resolution: 0.5,
    scope: { name: 'other' },
  });
  for (let interval = 0; interval < 3; interval++) {
    for (let n = 1; n <= 100; n++) {
      requests.with({ route: '/a b', status: 200 }).record(n / 1000);
      requests.with({ route: '/c', status: '200' }).record(1 + n / 1e6);
      sizes.with({}).record(n * 1000);
      others.with({ flags: ['x', 'y'], ok: true }).record(n / 2);
    }
    await sink.flush();
  }
  await sink.close();
  return { path, registry };
}

test('a log becomes the registry from which it was written', async () => {
  const { path, registry } = await logOfThree();
  const copy = createRegistry();
  expect(await ingestLog(copy, path)).toEqual({ merged: 12, leftOut: 0, malformed: 0 });
  const facts = async (one: typeof registry): Promise<unknown[]> =>
    (await one.gather()).families.map((family) => [
      family.name,
      family.unit,
      family.description,
      family.scope,
      family.resolution,
      family.layout.significantDigits,
      family.series.map((series) => [
        series.attributes,
        series.histogram.totalCount,
        valuesAtPercentiles(family, series, [0, 50, 99, 100]),
      ]),
    ]);
  expect(await facts(copy)).toEqual(await facts(registry));
});

test('a family that the registry has with another resolution or other digits keeps them, and takes all counts', async () => {
  const { path } = await logOfThree();
  const registry = createRegistry();
  registry.histogram({ name: 'http.duration', unit: 's', significantDigits: 2, resolution: 1e-6 });
  expect(await ingestLog(registry, path)).toMatchObject({ merged: 12 });
});

test('a family that the registry has with another unit is refused', async () => {
  const { path } = await logOfThree();
  const registry = createRegistry();
  registry.histogram({ name: 'http.duration', unit: 'ms' });
  await expect(ingestLog(registry, path)).rejects.toMatchObject({ code: 'ERR_ALREADY_REGISTERED' });
});

test('a family that the registry has with another cardinality limit keeps it', async () => {
  const { path } = await logOfThree();
  const registry = createRegistry();
  registry.histogram({ name: 'http.duration', unit: 's', significantDigits: 3, cardinalityLimit: 5 });
  expect(await ingestLog(registry, path)).toMatchObject({ merged: 12 });
});

test('intervals of other writers are left out, unless seriesOf knows their series', async () => {
  const line = 'HISTFAAAACJ4nJNpmSzMwMDAxAABzFCaEURcm7yEwf4DRCCYCQBa1gTe';
  const log = Buffer.from(
    `Tag=get,1.0,1.0,0.0,${line}\n2.0,1.0,0.0,${line}\n2.0,1.0,0.0,HISTFAAAbroken\nno\n`,
  );
  expect(await ingestLog(createRegistry(), log)).toEqual({ merged: 0, leftOut: 3, malformed: 1 });
  const registry = createRegistry();
  const seriesOf = ({ tag = '' }: LogInterval): LoggedSeries => ({
    family: { name: 'java', unit: 's' },
    attributes: { tag },
  });
  expect(await ingestLog(registry, log, { seriesOf })).toEqual({
    merged: 2,
    leftOut: 0,
    malformed: 2,
  });
  const [family] = (await registry.gather()).families;
  expect(family!.series.map(({ attributes }) => attributes)).toEqual([{ tag: 'get' }, { tag: '' }]);
});

const JAR = '/usr/share/java/hdrhistogram.jar';
const READER = `
import org.HdrHistogram.*;
public class Read {
  public static void main(String[] args) throws Exception {
    HistogramLogReader reader = new HistogramLogReader(args[0]);
    EncodableHistogram next;
    while ((next = reader.nextIntervalHistogram()) != null) {
      Histogram h = (Histogram) next;
      System.out.println(h.getTag() + " " + h.getStartTimeStamp() + " " + h.getTotalCount() + " " + h.getMaxValue() + " " + h.getValueAtPercentile(50));
    }
  }
}`;

testUnless(lackOfProgram('java'), lackOfFile(JAR))('Java reads the lines of a sink', async () => {
  const { path } = await logOfThree();
  const source = join(newDirectory(), 'Read.java');
  writeFileSync(source, READER);
  const java = ['-XX:TieredStopAtLevel=1', '-Duser.timezone=UTC', '-cp', JAR, source, path];
  const lines = execFileSync('java', java, { encoding: 'utf8', timeout: 90_000 }).trim().split('\n');
  const ours = (await intervalsOf(path)).map((interval) => {
    const histogram = interval.histogram();
    const [median] = histogram.valuesAtPercentiles([50]);
    return `${interval.tag} ${interval.startTimeMs} ${histogram.totalCount} ${histogram.max} ${median}`;
  });
  expect(lines).toHaveLength(12);
  expect(lines).toEqual(ours);
});

test('intervals of fewer digits than the series keep their bounds', async () => {
  const histogram = new Histogram({ significantDigits: 2, highestTrackableValue: 1_000_000 });
  histogram.record(100_900, 500);
  const log = formatInterval(histogram, { startSec: 1, endSec: 2 });
  const registry = createRegistry();
  const family = { name: 'rpc', unit: '', resolution: 1, significantDigits: 5 };
  registry.histogram(family);
  const seriesOf = (): LoggedSeries => ({ family: { name: 'rpc', unit: '' }, attributes: {} });
  expect(await ingestLog(registry, [new TextEncoder().encode(log)], { seriesOf })).toMatchObject({
    merged: 1,
  });
  const [series] = (await registry.gather()).families.flatMap((one) => one.series);
  const { lower, upper } = percentileInterval(series!, 99);
  expect([lower <= 100_900, upper >= 100_900]).toEqual([true, true]);
  expect(countWithin(series!, 100_900)).toEqual({ lower: 0, upper: 500 });
});
