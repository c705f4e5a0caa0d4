import { createRequire } from 'node:module';
import type { Attributes, Histogram, Meter, MeterProvider } from '@opentelemetry/api';
import { delegate } from '../delegate.ts';
import { type EnvironmentVariables, variable } from '../environment.ts';
import type { Application } from './application.ts';
import { notice } from './notice.ts';

const HTTP_INSTRUMENTATION = '@opentelemetry/instrumentation-http';
const DURATION = 'http.server.request.duration';
/** So many requests without a route, and none with one, make a warning. */
const ENOUGH = 5;
/** Watching ends after so many requests, such as those of a scanner that finds nothing. */
const MOST_REQUESTS = 1000;

/** Watches whether requests have routes. */
export interface RouteWatch {
  /**
   * Watches the HTTP instrumentation at a provider until the first route, or the warning. Other meters, and later records, stay
   * untouched.
   *
   * @param findCure Returns what gives the missing routes; `undefined` when the requests may well have none.
   */
  wrapProvider(provider: MeterProvider, findCure: () => string | undefined): MeterProvider;
}

/** Makes a watch that prints one warning, whatever the number of providers. */
export function watchRoutes(): RouteWatch {
  let isDecided = false;
  let requests = 0;
  let withoutRoute = 0;
  const see = (attributes: Attributes, findCure: () => string | undefined): void => {
    const status = attributes['http.response.status_code'];
    requests++;
    // Errors such as 404 have no route by nature.
    if (attributes['http.route'] !== undefined || requests >= MOST_REQUESTS) isDecided = true;
    else if (typeof status === 'number' && status < 400 && ++withoutRoute === ENOUGH) {
      isDecided = true;
      const cure = findCure();
      if (cure !== undefined) notice('HDRSCOPE_NO_ROUTE', `requests come without http.route: ${cure}`);
    }
  };
  const watch = (histogram: Histogram, findCure: () => string | undefined): void => {
    if (isDecided || Object.hasOwn(histogram, 'record')) return;
    const { record } = histogram;
    histogram.record = (value, attributes = {}, context) => {
      record.call(histogram, value, attributes, context);
      if (!isDecided) see(attributes, findCure);
      // The method of its class is called again, as if nothing had been there.
      if (isDecided) Reflect.deleteProperty(histogram, 'record');
    };
  };
  return {
    wrapProvider: (provider, findCure) =>
      delegate(provider, {
        getMeter: (...args: Parameters<MeterProvider['getMeter']>): Meter => {
          const meter = provider.getMeter(...args);
          if (args[0] !== HTTP_INSTRUMENTATION) return meter;
          return delegate(meter, {
            createHistogram: (...given: Parameters<Meter['createHistogram']>) => {
              const histogram = meter.createHistogram(...given);
              if (given[0] === DURATION) watch(histogram, findCure);
              return histogram;
            },
          });
        },
      }),
  };
}

const FASTIFY = '@fastify/otel';

/**
 * Frameworks, each before those that it may load, and the instrumentation that gives their routes to metrics. That of NestJS gives
 * routes to spans alone, and those of Next.js are in its own spans alone.
 */
const FRAMEWORKS: readonly (readonly [name: string, instrumentation?: string])[] = [
  ['next'],
  ['@nestjs/platform-fastify', FASTIFY],
  ['fastify', FASTIFY],
  ['@hapi/hapi', '@opentelemetry/instrumentation-hapi'],
  ['restify', '@opentelemetry/instrumentation-restify'],
  ['koa', '@opentelemetry/instrumentation-koa'],
  ['express', '@opentelemetry/instrumentation-express'],
  ['@nestjs/core', '@opentelemetry/instrumentation-express'],
  ['connect', '@opentelemetry/instrumentation-connect'],
];

/** The facts from which a cure follows. */
export interface RouteSetup {
  readonly application: Pick<Application, 'dependencies'>;
  readonly environment: EnvironmentVariables;
  /** Whether the SDK of the application starts the instrumentations. */
  readonly hasOwnSdk: boolean;
  /** Whether an instrumentation that `register` has started finds no module to patch. */
  readonly isIdle?: ((instrumentation: string) => boolean) | undefined;
}

const LIST_THEM = "list the routes, such as HDRSCOPE_ROUTES='/items/:id, /users/*'";

/**
 * Finds what gives routes to requests that have none. `undefined` when the framework has its instrumentation: then the requests are for
 * files or the like.
 *
 * @param modules Paths of modules that were loaded.
 */
export function findRouteCure(
  { application, environment, hasOwnSdk, isIdle }: RouteSetup,
  modules: readonly string[] = Object.keys(createRequire(import.meta.url).cache),
): string | undefined {
  const { dependencies } = application;
  const paths = modules.map((path) => path.replaceAll('\\', '/'));
  const isLoaded = (name: string): boolean => paths.some((path) => path.includes(`/node_modules/${name}/`));
  const [name, instrumentation] =
    FRAMEWORKS.find(([framework]) => isLoaded(framework)) ??
    // Bundled, or an ES module.
    FRAMEWORKS.find(([framework]) => dependencies.includes(framework)) ??
    [];
  if (instrumentation === undefined) {
    if (variable(environment, 'HDRSCOPE_ROUTES') !== undefined)
      return 'no pattern of HDRSCOPE_ROUTES matches them';
    const reason = 'no instrumentation gives routes of Next.js to metrics, so ';
    return `${name === undefined ? '' : reason}${LIST_THEM}`;
  }
  if (isIdle?.(instrumentation))
    return `${instrumentation} has found nothing to patch: leave the framework out of bundles, or ${LIST_THEM}`;
  if (isLoaded(instrumentation) || (hasOwnSdk && dependencies.includes(instrumentation))) return undefined;
  const install = `npm install ${instrumentation}`;
  if (hasOwnSdk) return `${install}, and give it to the SDK`;
  const isNamed = variable(environment, 'HDRSCOPE_INSTRUMENTATIONS') !== undefined;
  return isNamed ? `${install}, and name it in HDRSCOPE_INSTRUMENTATIONS` : install;
}
