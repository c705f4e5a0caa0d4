import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { reasonOf } from '@hdrscope/kit';
import {
  context,
  createNoopMeter,
  type MeterProvider,
  ProxyTracerProvider,
  type TracerProvider,
  trace,
} from '@opentelemetry/api';
import { isOfExporter } from '../client-requests.ts';
import { type EnvironmentVariables, namesIn, variable } from '../environment.ts';
import type { HdrInstrumentation } from '../instrumentation.ts';
import type { Application } from './application.ts';
import { AUTO_INSTRUMENTATIONS } from './auto-instrumentations.ts';
import { hookEsModules, type PatchedModules } from './es-modules.ts';
import { notice } from './notice.ts';
import { GRPC, measureCalls } from './rpc-durations.ts';

/** The members of an instrumentation that are called here. */
interface Instrumentation
  extends Pick<HdrInstrumentation, 'instrumentationName' | 'setMeterProvider' | 'setTracerProvider'> {
  getConfig?(): HttpConfig;
  setConfig?(config: object): void;
  /** A private member of all of them: a module that was patched has exports here. */
  readonly _modules?: readonly { readonly name?: unknown; readonly moduleExports?: unknown }[];
}

/** What is read of the configuration of `@opentelemetry/instrumentation-http`. */
interface HttpConfig {
  readonly ignoreOutgoingRequestHook?: (request: unknown) => boolean;
}

/** A package with its instrumentations. */
interface StartedPackage {
  readonly name: string;
  readonly instrumentations: readonly Instrumentation[];
}

/** The instrumentations that `register` has started. */
export interface Instrumentations {
  /**
   * Hears that an instrumentation of the application asks for its meter, which it does when it is made. The one with the same
   * name here falls silent later on, unless its module was patched already: each module is patched once, when it is loaded,
   * so this one goes on and makes the spans too.
   */
  made(name: string): void;
  /** Hands the instrumentations over to the provider of the application, which replaces that of `register`. */
  handOver(provider: MeterProvider): void;
  /** Whether a started instrumentation patches modules, and none of them was loaded. */
  isIdle(name: string): boolean;
}

/**
 * Starts the instrumentations that the application depends on, by its package.json: `auto-instrumentations-node`, else each
 * `@opentelemetry/instrumentation-*`; and `@fastify/otel`. `HDRSCOPE_INSTRUMENTATIONS` has other names, or `none`.
 */
export function startInstrumentations(
  provider: MeterProvider,
  application: Application,
  environment: EnvironmentVariables,
): Instrumentations {
  const packages = packageNames(application, environment).map((name) => startPackage(name, application));
  hookEsModules(packages.map(patchedModules), application, environment);
  const started = packages.flatMap(({ instrumentations }) => instrumentations);
  for (const instrumentation of started) {
    instrumentation.setMeterProvider(provider);
    instrumentation.setTracerProvider(tracersFor(instrumentation, provider));
    if (instrumentation.instrumentationName === HTTP) ignoreExporters(instrumentation);
  }
  // There, whoever loads `node:https` later would undo the patch of `node:http`.
  if (process.versions.bun !== undefined) patchBuiltins();
  const replaced = new Set<Instrumentation>();
  /** Those that the application has, too: their spans are the application's. */
  const known = new Set<Instrumentation>();
  return {
    made(name) {
      for (const instrumentation of started) {
        if (instrumentation.instrumentationName !== name) continue;
        known.add(instrumentation);
        if (hasPatched(instrumentation)) instrumentation.setTracerProvider(trace.getTracerProvider());
        else replaced.add(instrumentation);
      }
    },
    handOver(theirs) {
      for (const instrumentation of started) {
        // It stays enabled: disabling it would undo the latest patch of a module, which may be the application's.
        instrumentation.setMeterProvider(replaced.has(instrumentation) ? SILENT_METERS : theirs);
        const measures = instrumentation.instrumentationName === GRPC && !known.has(instrumentation);
        if (measures) instrumentation.setTracerProvider(tracersFor(instrumentation, theirs));
      }
    },
    isIdle: (name) =>
      started.some(
        (instrumentation) =>
          instrumentation.instrumentationName === name &&
          (instrumentation._modules?.length ?? 0) > 0 &&
          !hasPatched(instrumentation),
      ),
  };
}

const HTTP = '@opentelemetry/instrumentation-http';

function tracersFor({ instrumentationName }: Instrumentation, provider: MeterProvider): TracerProvider {
  return instrumentationName === GRPC ? measureCalls(provider, isOfExporter) : SILENT_TRACERS;
}

/** Requests of exporters are not requests of the service. */
function ignoreExporters(instrumentation: Instrumentation): void {
  const config = instrumentation.getConfig?.();
  instrumentation.setConfig?.({
    ...config,
    ignoreOutgoingRequestHook: (request: unknown) =>
      isOfExporter(context.active()) || config?.ignoreOutgoingRequestHook?.(request) === true,
  });
}

/** Fastify's own. It measures each application that is made only when it is asked to: https://github.com/fastify/otel */
const FASTIFY = '@fastify/otel';

/** Instruments that count nothing. */
const SILENT_METERS: MeterProvider = { getMeter: () => createNoopMeter() };

/** Spans that record nothing: `register` is about metrics. */
const SILENT_TRACERS = new ProxyTracerProvider();

function hasPatched({ _modules: modules }: Instrumentation): boolean {
  return modules?.some(({ moduleExports }) => moduleExports !== undefined) === true;
}

function packageNames({ dependencies }: Application, environment: EnvironmentVariables): readonly string[] {
  const wanted = namesIn(variable(environment, 'HDRSCOPE_INSTRUMENTATIONS') ?? '');
  if (wanted.length === 1 && wanted[0]!.toLowerCase() === 'none') return [];
  if (wanted.length > 0) return wanted;
  const isWanted = dependencies.includes(AUTO_INSTRUMENTATIONS)
    ? (name: string) => name === AUTO_INSTRUMENTATIONS || name === FASTIFY
    : (name: string) => name.startsWith('@opentelemetry/instrumentation-') || name === FASTIFY;
  const found = dependencies.filter(isWanted);
  if (found.length === 0) {
    notice(
      'HDRSCOPE_NO_INSTRUMENTATION',
      `only instruments of the application itself are counted: its package.json names no instrumentation, such as ${AUTO_INSTRUMENTATIONS}`,
    );
  }
  const isMeasured = found.includes(GRPC) || found.includes(AUTO_INSTRUMENTATIONS);
  if (dependencies.includes('@grpc/grpc-js') && !isMeasured)
    notice('HDRSCOPE_NO_INSTRUMENTATION', `calls of gRPC are not measured: npm install ${GRPC}`);
  return found;
}

function patchedModules({ name, instrumentations }: StartedPackage): PatchedModules {
  const modules = instrumentations.flatMap(({ _modules = [] }) => _modules.map((module) => module.name));
  return { owner: name, modules: modules.filter((module) => typeof module === 'string') };
}

function startPackage(name: string, application: Application): StartedPackage {
  return { name, instrumentations: instrumentationsOf(name, application) };
}

function instrumentationsOf(name: string, application: Application): Instrumentation[] {
  try {
    const exported = application.load(name);
    const { getNodeAutoInstrumentations: all } = exported as {
      getNodeAutoInstrumentations?: () => Instrumentation[];
    };
    if (all !== undefined) return all();
    const classes = Object.entries(exported).filter(([key]) => /.Instrumentation$/.test(key));
    const options = name === FASTIFY ? { registerOnInitialization: true } : {};
    return classes.map(([, Class]) => new (Class as new (options: object) => Instrumentation)(options));
  } catch (error) {
    const { cause = error } = error as { readonly cause?: unknown };
    notice('HDRSCOPE_MISSING_PACKAGE', `the instrumentation ${name} cannot be started: ${reasonOf(cause)}`);
    return [];
  }
}

/** Runs {@link patchBuiltins} before the first request to a server of the process is handled. */
export function patchBuiltinsAtFirstRequest(): void {
  const channel = 'http.server.request.start';
  const onRequest = (): void => {
    unsubscribe(channel, onRequest);
    try {
      patchBuiltins();
    } catch (error) {
      notice('HDRSCOPE_FAILED', `requests are not measured: ${reasonOf(error)}`);
    }
  };
  subscribe(channel, onRequest);
}

/**
 * Loads the HTTP modules, so that an instrumentation that waits for them patches them now, and gives what it has patched to ES
 * modules too. These import modules of Node.js without a call that an instrumentation could see.
 */
export function patchBuiltins(): void {
  const load = createRequire(import.meta.url);
  // In Bun, servers of HTTPS inherit from those of HTTP: to patch them later would undo the patch of these.
  load('node:https');
  load('node:http');
  syncBuiltinESMExports();
}
