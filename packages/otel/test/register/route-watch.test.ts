import { type Attributes, createNoopMeter, type Histogram, type MeterProvider } from '@opentelemetry/api';
import {
  findRouteCure,
  type RouteSetup,
  type RouteWatch,
  watchRoutes,
} from '../../src/register/route-watch.ts';

const HTTP = '@opentelemetry/instrumentation-http';
const DURATION = 'http.server.request.duration';
const FOUND = { 'http.response.status_code': 200 };
const MISSING = { 'http.response.status_code': 404 };
const ROUTED = { ...FOUND, 'http.route': '/cart' };

let warnings: [code: string | undefined, message: string][] = [];
const { emitWarning } = process;
beforeEach(() => {
  warnings = [];
  process.emitWarning = (message: string | Error, options?: unknown) => {
    warnings.push([(options as { readonly code?: string }).code, String(message)]);
  };
});
afterEach(() => {
  process.emitWarning = emitWarning;
});

/** Counts what is recorded, as an instrument of a class does. */
class Counted implements Histogram {
  count = 0;
  record(): void {
    this.count++;
  }
}

function provider(): MeterProvider {
  return { getMeter: () => Object.assign(createNoopMeter(), { createHistogram: () => new Counted() }) };
}

function makeHistogram(watch: RouteWatch, cure: string | undefined, meter = HTTP, name = DURATION): Counted {
  const watched = watch.wrapProvider(provider(), () => cure);
  return watched.getMeter(meter).createHistogram(name) as Counted;
}

function record(histogram: Counted, count: number, attributes?: Attributes): void {
  for (let i = 0; i < count; i++) (histogram as Histogram).record(0.1, attributes);
}

describe('watchRoutes', () => {
  test('five requests without a route make one warning, and later ones cost nothing', () => {
    const watch = watchRoutes();
    const histograms = [makeHistogram(watch, 'take this'), makeHistogram(watch, 'take that')];
    for (const histogram of histograms) record(histogram, 2, FOUND);
    for (const histogram of histograms) record(histogram, 100, FOUND);
    expect(warnings).toEqual([['HDRSCOPE_NO_ROUTE', 'requests come without http.route: take this']]);
    for (const histogram of histograms) {
      expect(histogram.count).toBe(102);
      expect(Object.hasOwn(histogram, 'record')).toBe(false);
    }
  });

  test.each<[title: string, attributes: readonly (Attributes | undefined)[]]>([
    ['a request has a route', [ROUTED]],
    ['requests fail', new Array<Attributes>(1000).fill(MISSING)],
    ['requests have no status', new Array<undefined>(1000).fill(undefined)],
  ])('there is no warning, and the watch ends, when %s', (title, attributes) => {
    const histogram = makeHistogram(watchRoutes(), `a cure when ${title}`);
    for (const one of attributes) record(histogram, 1, one);
    expect(Object.hasOwn(histogram, 'record')).toBe(false);
    record(histogram, 10, FOUND);
    expect(warnings).toEqual([]);
  });

  test('there is no warning when there is nothing to cure', () => {
    record(makeHistogram(watchRoutes(), undefined), 10, FOUND);
    expect(warnings).toEqual([]);
  });

  test.each([
    [HTTP, 'http.client.request.duration'],
    ['shop', DURATION],
  ])('instruments of others stay as they are: %s, %s', (meter, name) => {
    expect(Object.hasOwn(makeHistogram(watchRoutes(), '', meter, name), 'record')).toBe(false);
  });
});

describe('findRouteCure', () => {
  const LIST = "list the routes, such as HDRSCOPE_ROUTES='/items/:id, /users/*'";
  const at = (...names: string[]): string[] => names.map((name) => `/shop/node_modules/${name}/index.js`);
  const find = (modules: readonly string[], setup: Partial<RouteSetup> = {}, dependencies: string[] = []) =>
    findRouteCure({ application: { dependencies }, environment: {}, hasOwnSdk: false, ...setup }, modules);
  const EXPRESS = '@opentelemetry/instrumentation-express';

  test.each<[modules: readonly string[], instrumentation: string]>([
    [['express'], EXPRESS],
    [['@nestjs/core', 'express'], EXPRESS],
    [['@nestjs/core', '@nestjs/platform-fastify', 'fastify'], '@fastify/otel'],
    [['fastify'], '@fastify/otel'],
    [['@hapi/hapi'], '@opentelemetry/instrumentation-hapi'],
    [['restify'], '@opentelemetry/instrumentation-restify'],
    [['koa', '@koa/router'], '@opentelemetry/instrumentation-koa'],
    [['connect'], '@opentelemetry/instrumentation-connect'],
  ])('%j needs %s', (modules, instrumentation) => {
    expect(find(at(...modules))).toBe(`npm install ${instrumentation}`);
    expect(find([], {}, [...modules])).toBe(`npm install ${instrumentation}`);
    expect(find(at(...modules, instrumentation))).toBeUndefined();
  });

  test('paths of Windows', () => {
    expect(find(['C:\\shop\\node_modules\\express\\index.js'])).toBe(`npm install ${EXPRESS}`);
    expect(find(['C:\\shop\\node_modules\\express-session\\index.js'])).toBe(LIST);
  });

  test('without a framework that has an instrumentation, routes are listed', () => {
    expect(find([])).toBe(LIST);
    expect(find(at('next'), {}, ['express'])).toBe(
      `no instrumentation gives routes of Next.js to metrics, so ${LIST}`,
    );
    const environment = { HDRSCOPE_ROUTES: '/cart' };
    expect(find([], { environment })).toBe('no pattern of HDRSCOPE_ROUTES matches them');
    expect(find(at('express'), { environment })).toBe(`npm install ${EXPRESS}`);
  });

  test('where else the instrumentation must be named', () => {
    expect(find(at('express'), { hasOwnSdk: true })).toBe(`npm install ${EXPRESS}, and give it to the SDK`);
    expect(find(at('express'), { hasOwnSdk: true }, [EXPRESS])).toBeUndefined();
    const environment = { HDRSCOPE_INSTRUMENTATIONS: HTTP };
    expect(find(at('express'), { environment })).toBe(
      `npm install ${EXPRESS}, and name it in HDRSCOPE_INSTRUMENTATIONS`,
    );
  });

  test('a framework in a bundle cannot be reached', () => {
    const isIdle = (name: string): boolean => name === EXPRESS;
    expect(find(at(EXPRESS), { isIdle }, ['express'])).toBe(
      `${EXPRESS} has found nothing to patch: leave the framework out of bundles, or ${LIST}`,
    );
  });
});
