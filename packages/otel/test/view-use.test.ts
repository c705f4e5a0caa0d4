import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { makeHdr } from '../src/create-hdr.ts';
import { createHdr, type HdrView } from '../src/index.ts';

/** The warnings of an application that makes a few instruments, before its first minute is over, and after it. */
function warningsOf(...views: readonly HdrView[]): readonly string[] {
  const warnings: string[] = [];
  const scheduled: (() => void)[] = [];
  const hdr = makeHdr(
    { views },
    (message) => warnings.push(message),
    (callback) => scheduled.push(callback),
  );
  const meter = hdr.wrapProvider(new MeterProvider()).getMeter('shop', '1.0');
  hdr.wrapProvider(new MeterProvider());
  meter.createHistogram('http.server.request.duration', { unit: 's' });
  meter.createCounter('orders');
  meter.createObservableGauge('queue.length');
  meter.createHistogram('Basket');
  expect(warnings).toEqual([]);
  for (const callback of scheduled) callback();
  meter.createHistogram('late');
  return warnings;
}

test.each<[why: string, view: HdrView, cure: string]>([
  [
    'a name with an error of typing',
    { instrumentName: 'http.server.request.durations' },
    'http.server.request.durations has selected no histogram in 60 s: did you mean http.server.request.duration?',
  ],
  [
    'the name of another kind of instrument',
    { instrumentName: 'ORDERS' },
    'ORDERS has selected no histogram in 60 s: orders is a counter, which has no distribution',
  ],
  [
    'a pattern of such names',
    { instrumentName: 'queue.*' },
    'queue.* has selected no histogram in 60 s: queue.length is an observable gauge, which has no distribution',
  ],
  [
    'another unit',
    { instrumentName: 'http.*', instrumentUnit: 'ms' },
    'http.*, instrumentUnit ms has selected no histogram in 60 s: its other criteria match none, such as unit or meter',
  ],
  [
    'a name that nothing is like',
    { instrumentName: 'db.*', meterName: 'store' },
    'db.*, meterName store has selected no histogram in 60 s: the histograms are http.server.request.duration, Basket',
  ],
])('a view of %s warns once, with the cure', (_why, view, cure) => {
  expect(warningsOf(view)).toEqual([`the HDR view of ${cure}`]);
});

test('views that select a histogram, or every one, do not warn', () => {
  const views = [
    { instrumentName: '*' },
    { instrumentName: 'basket' },
    { meterVersion: '1.0' },
    { instrumentUnit: 's' },
  ];
  expect(warningsOf(...views)).toEqual([]);
});

test('a view of another type warns at once, and a warning says when the application has no histogram', () => {
  const warnings: string[] = [];
  const scheduled: (() => void)[] = [];
  const views = [{ instrumentName: 'x' }, { instrumentName: 'y', instrumentType: 'COUNTER' }];
  const hdr = makeHdr(
    { views },
    (message) => warnings.push(message),
    (callback) => scheduled.push(callback),
  );
  expect(warnings).toEqual([
    'the HDR view of y selects nothing: an instrument of type COUNTER has no distribution',
  ]);
  hdr.wrapProvider(new MeterProvider());
  scheduled[0]!();
  expect(warnings.slice(1)).toEqual([
    'the HDR view of x has selected no histogram in 60 s: the application has made no histogram',
  ]);
});

test('the wait of createHdr does not keep the process alive', () => {
  const before = process.getActiveResourcesInfo();
  createHdr({ views: [{ instrumentName: 'x' }] }).wrapProvider(new MeterProvider());
  expect(process.getActiveResourcesInfo()).toEqual(before);
});
