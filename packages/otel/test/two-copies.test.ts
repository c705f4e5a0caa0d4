import { createRequire } from 'node:module';
import { describeWithPeers, importOpenTelemetry3, programOf } from '@hdrscope/testing';
import * as sdk2 from 'sdk-metrics-2';
import { createHdr } from '../src/index.ts';
import { collect, countsOf, type Sdk, testReader } from './support/sdk.ts';

const VIEWS = [{ instrumentName: 'hdr.*' }];

/** The copies, reduced to the members of `Sdk` without an exporter. */
function copyOf(metrics: object): Sdk {
  return { metrics } as Sdk;
}

const sdk3 = await importOpenTelemetry3<object>('sdk-metrics-3');

describeWithPeers(['opentelemetry-3'])('several copies of the SDK', () => {
  const [two, three] = [copyOf(sdk2), copyOf(sdk3)];
  const threeAsCommonJs = copyOf(createRequire(`${programOf('opentelemetry-3')}/`)('sdk-metrics-3'));

  test('the copies are distinct', () => {
    const providers = [two, three, threeAsCommonJs].map(({ metrics }) => metrics.MeterProvider);
    expect(new Set(providers).size).toBe(3);
  });

  test.each([
    ['2.x', two, '3.x', three],
    ['3.x', three, '2.x', two],
    ['3.x as a module', three, '3.x as CommonJS', threeAsCommonJs],
    ['3.x as CommonJS', threeAsCommonJs, '3.x as a module', three],
  ])('a provider of %s works with a reader of %s', async (_, providerCopy, __, readerCopy) => {
    const hdr = createHdr({ views: VIEWS });
    const reader = testReader(readerCopy, { temporality: 'delta' });
    const provider = hdr.wrapProvider(
      new providerCopy.metrics.MeterProvider({ readers: [hdr.wrapReader(reader)] }),
    );
    provider.getMeter('m').createHistogram('hdr.x').record(1);
    provider.getMeter('m').createHistogram('plain').record(1);
    const metrics = await collect(reader);
    expect(countsOf(metrics, 'hdr.x')).toEqual([[{}, 1]]);
    expect(countsOf(metrics, 'plain')).toEqual([[{}, 1]]);
  });

  test('providers of several copies can share one registry', async () => {
    const hdr = createHdr({ views: VIEWS });
    const pipelines = [two, three, threeAsCommonJs].map((copy) => {
      const reader = testReader(copy);
      const provider = hdr.wrapProvider(
        new copy.metrics.MeterProvider({ readers: [hdr.wrapReader(reader)] }),
      );
      return { reader, meter: provider.getMeter('m') };
    });
    for (const { meter } of pipelines) meter.createHistogram('hdr.x').record(1, { route: '/' });
    for (const { reader } of pipelines) {
      expect(countsOf(await collect(reader), 'hdr.x')).toEqual([[{ route: '/' }, 3]]);
    }
  });

  test('pipelines of several copies can have a registry each', async () => {
    const counts = await Promise.all(
      [two, three].map(async (copy) => {
        const hdr = createHdr({ views: VIEWS });
        const reader = testReader(copy);
        const provider = hdr.wrapProvider(
          new copy.metrics.MeterProvider({ readers: [hdr.wrapReader(reader)] }),
        );
        provider.getMeter('m').createHistogram('hdr.x').record(1);
        return countsOf(await collect(reader), 'hdr.x');
      }),
    );
    expect(counts).toEqual([[[{}, 1]], [[{}, 1]]]);
  });
});
