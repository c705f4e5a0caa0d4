import { reasonOf } from '@hdrscope/kit';
import { context, createContextKey, type MeterProvider, type MetricsAPI, metrics } from '@opentelemetry/api';
import { type Hdr, makeHdr } from '../create-hdr.ts';
import { delegate } from '../delegate.ts';
import { type EnvironmentVariables, processEnvironment, variable } from '../environment.ts';
import { wantedExporters } from '../metric-readers.ts';
import { isWrapped } from '../provider.ts';
import { warnOfSeriesLimit } from '../series-limit.ts';
import { type Application, findApplication, isPackageManager } from './application.ts';
import { attachToReaders, histogramsOf } from './attach.ts';
import { AUTO_INSTRUMENTATIONS } from './auto-instrumentations.ts';
import { contextManager } from './context-manager.ts';
import { shutDownAtEnd } from './ending.ts';
import { type ApiHook, hookGlobalApi } from './global-api.ts';
import {
  type Instrumentations,
  patchBuiltins,
  patchBuiltinsAtFirstRequest,
  startInstrumentations,
} from './instrumentations.ts';
import { warnOfNoLivePage } from './live-page.ts';
import { watchNativeServers } from './native-servers.ts';
import { notice } from './notice.ts';
import { makePipeline } from './pipeline.ts';
import { adoptPm2 } from './pm2.ts';
import { type ContextApi, giveRoutes, readRoutes } from './route-patterns.ts';
import { findRouteCure, watchRoutes } from './route-watch.ts';
import { readViews, readViewsOfConfigFile } from './views.ts';

/** Servers of Prometheus listen so much later. */
const SETTLED_AFTER_MS = 1000;
/** When an SDK that another module was to start should be there. */
const SDK_AFTER_MS = 10_000;

/** Whose pipeline exports the metrics. */
type Owner = 'application' | 'register';

/**
 * Wraps a provider so that requests without routes make a warning.
 *
 * @param isIdle Whether an instrumentation that `register` has started finds nothing to patch. Without it, others start them.
 */
type WatchedProvider = (
  provider: MeterProvider,
  isIdle?: (instrumentation: string) => boolean,
) => MeterProvider;

/** Starts what `@hdrscope/otel/register` does. Never throws. */
export function start(): void {
  try {
    adoptPm2(process.env);
    const environment = processEnvironment();
    const { pm_exec_path: main = process.argv[1], pm_cwd: workingDirectory = process.cwd() } = environment;
    const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
    if (isPackageManager(main) || isTrue(environment.OTEL_SDK_DISABLED)) return;
    if (major < 20 || (major === 20 && minor < 19)) {
      const cure = 'install 20.19 or newer from https://nodejs.org';
      notice(
        'HDRSCOPE_OLD_NODE',
        `Node.js ${process.versions.node} is too old for @hdrscope/otel/register: ${cure}`,
      );
      return;
    }
    const application = findApplication(main, workingDirectory);
    const configFile = variable(environment, 'OTEL_CONFIG_FILE', 'OTEL_EXPERIMENTAL_CONFIG_FILE');
    const owner = ownerOf(environment);
    const hdr = hdrOf(environment, application, owner === 'register' ? configFile : undefined);
    warnOfSeriesLimit(hdr.registry, (message) => notice('HDRSCOPE_SERIES_LIMIT', message));
    const routes = readRoutes(variable(environment, 'HDRSCOPE_ROUTES'));
    for (const { code, message } of routes.problems) notice(code as `ERR_${string}`, message);
    if (routes.patterns.length > 0) giveRoutes(routes.patterns, findApi(application));
    const { wrapProvider } = watchRoutes();
    const watched: WatchedProvider = (provider, isIdle) =>
      wrapProvider(provider, () => {
        const hasOwnSdk = isIdle === undefined && (owner === 'application' || configFile === undefined);
        return findRouteCure({ application, environment, hasOwnSdk, isIdle });
      });
    let hasProvider = false;
    const hook = hookGlobalApi((provider, isEarlier) => {
      hasProvider = true;
      return wrapped(provider, isEarlier, hdr, watched);
    });
    watchNativeServers();
    const isOwn = !hasProvider && owner === 'register';
    if (isOwn && (configFile === undefined || !startSdk(application, environment))) {
      startPipeline(hdr, application, environment, hook, watched);
      return;
    }
    warnOfNoLivePage(environment);
    if (hasProvider || owner === 'register' || wantedExporters(environment).has('none')) return;
    setTimeout(() => {
      if (hasProvider) return;
      const reason = `no OpenTelemetry SDK has registered a MeterProvider within ${SDK_AFTER_MS / 1000} s`;
      notice('HDRSCOPE_NO_SDK', `no histogram is counted: ${reason}`);
    }, SDK_AFTER_MS).unref();
  } catch (error) {
    notice('HDRSCOPE_FAILED', `@hdrscope/otel/register could not start: ${reasonOf(error)}`);
  }
}

function hdrOf(
  environment: EnvironmentVariables,
  application: Application,
  configFile: string | undefined,
): Hdr {
  const parseYaml = (text: string): unknown => {
    const { parse } = application.loadFrom('@opentelemetry/configuration', 'yaml') as {
      readonly parse: (text: string) => unknown;
    };
    return parse(text);
  };
  const text = variable(environment, 'HDRSCOPE_VIEWS');
  const ofFile =
    text === undefined && configFile !== undefined ? readViewsOfConfigFile(configFile, parseYaml) : undefined;
  const { views, problems } = ofFile ?? readViews(text, parseYaml);
  for (const { code, message } of problems) notice(code as `ERR_${string}`, message);
  const warnOfView = (message: string): void => notice('HDRSCOPE_UNUSED_VIEW', message);
  try {
    return makeHdr({ views }, warnOfView);
  } catch (error) {
    notice('ERR_INVALID_OPTION', reasonOf(error));
    return makeHdr({ views, exemplarFilter: 'always_off' }, warnOfView);
  }
}

function ownerOf(environment: EnvironmentVariables): Owner {
  const wanted = variable(environment, 'HDRSCOPE_PIPELINE')?.toLowerCase();
  if (wanted === 'application' || wanted === 'register') return wanted;
  if (wanted !== undefined) {
    notice('ERR_INVALID_OPTION', `HDRSCOPE_PIPELINE must be application or register, got '${wanted}'`);
  }
  const options = [...process.execArgv, environment.NODE_OPTIONS ?? ''].join(' ');
  return options.includes(`${AUTO_INSTRUMENTATIONS}/register`) ? 'application' : 'register';
}

/** Takes a provider that somebody has registered: its readers get the HDR histograms, its meters make them. */
function wrapped(
  provider: MeterProvider,
  isEarlier: boolean,
  hdr: Hdr,
  watched: WatchedProvider,
): MeterProvider {
  try {
    // The application uses `createHdr` itself.
    if (isWrapped(provider)) return provider;
    const before = isEarlier ? histogramsOf(provider) : [];
    if (!attachToReaders(provider, hdr)) {
      const reason = 'its readers are not those of @opentelemetry/sdk-metrics 2 or 3';
      notice('HDRSCOPE_UNREACHABLE', `histograms of a MeterProvider stay as they are: ${reason}`);
      return provider;
    }
    if (before.length > 0) {
      const cure = 'load @hdrscope/otel/register first';
      notice(
        'HDRSCOPE_TOO_LATE',
        `histograms that exist already stay as they are (${before.join(', ')}): ${cure}`,
      );
    }
    patchBuiltins();
    return watched(hdr.wrapProvider(provider));
  } catch (error) {
    notice('HDRSCOPE_FAILED', `histograms of a MeterProvider stay as they are: ${reasonOf(error)}`);
    return provider;
  }
}

/** Starts the SDK from its configuration file, and the instrumentations. The hook gets the provider that it makes. */
function startSdk(application: Application, environment: EnvironmentVariables): boolean {
  const startNodeSdk = loadStartNodeSdk(application);
  if (startNodeSdk === undefined) {
    const needed = '@opentelemetry/sdk-node with startNodeSDK';
    notice(
      'HDRSCOPE_MISSING_PACKAGE',
      `the configuration file of OpenTelemetry is not read: that needs ${needed}`,
    );
    return false;
  }
  const { shutdown } = startNodeSdk();
  const shutDown = (): Promise<void> =>
    shutdown().catch((error: unknown) =>
      notice('HDRSCOPE_FAILED', `the last metrics could not be exported: ${reasonOf(error)}`),
    );
  shutDownAtEnd({ flush: async () => {}, shutDown, leave: () => {} }, environment);
  startInstrumentations(findApi(application).metrics.getMeterProvider(), application, environment);
  patchBuiltins();
  return true;
}

type StartNodeSdk = () => { shutdown(): Promise<void> };

function loadStartNodeSdk(application: Application): StartNodeSdk | undefined {
  try {
    const { startNodeSDK } = application.loadFrom(AUTO_INSTRUMENTATIONS, '@opentelemetry/sdk-node');
    return startNodeSDK as StartNodeSdk | undefined;
  } catch {
    return undefined;
  }
}

function startPipeline(
  hdr: Hdr,
  application: Application,
  environment: EnvironmentVariables,
  hook: ApiHook,
  watched: WatchedProvider,
): void {
  const pipeline = makePipeline(hdr, application, environment);
  if (pipeline === undefined) {
    warnOfNoLivePage(environment);
    return;
  }
  // By then an application that makes a pipeline and instrumentations of its own has mostly made them.
  const settled = setTimeout(() => {
    pipeline.listen();
    patchBuiltins();
  }, SETTLED_AFTER_MS);
  settled.unref();
  patchBuiltinsAtFirstRequest();
  const forgetEnd = shutDownAtEnd(pipeline, environment);
  let instrumentations: Instrumentations | undefined;
  const source = watched(pipeline.provider, (name) => instrumentations?.isIdle(name) === true);
  const provider = delegate(source, {
    getMeter: (...args: Parameters<MeterProvider['getMeter']>) => {
      instrumentations?.made(args[0]);
      return source.getMeter(...args);
    },
  });
  const register = (): void => {
    // Its copy of the API: a copy of another version would be refused a registration later on.
    findApi(application).metrics.setGlobalMeterProvider(provider);
  };
  hook.give({ metrics: provider, context: contextManager() }, register, (theirs) => {
    clearTimeout(settled);
    forgetEnd();
    instrumentations?.handOver(theirs);
    void pipeline.abandon();
  });
  instrumentations = startInstrumentations(provider, application, environment);
}

/** Its copy of the API, if it has one. */
function findApi(application: Application): ContextApi & { readonly metrics: MetricsAPI } {
  try {
    return application.load('@opentelemetry/api') as unknown as ReturnType<typeof findApi>;
  } catch {
    return { context, createContextKey, metrics };
  }
}

function isTrue(value: string | undefined): boolean {
  return value?.trim().toLowerCase() === 'true';
}
