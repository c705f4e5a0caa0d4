import { type MeterProvider, metrics, type TracerProvider } from '@opentelemetry/api';
import { VERSION } from './version.ts';

/** The members of `@opentelemetry/instrumentation`'s `Instrumentation` that `NodeSDK` calls. */
export interface HdrInstrumentation {
  /** Always `@hdrscope/otel`. */
  readonly instrumentationName: string;
  /** The version of this package. */
  readonly instrumentationVersion: string;
  /** Has no effect: the provider is wrapped when the SDK hands it over. */
  enable(): void;
  /** Has no effect: a wrapped provider stays wrapped. */
  disable(): void;
  /** Has no effect: this instrumentation makes no spans. */
  setTracerProvider(provider: TracerProvider): void;
  /** Wraps the provider and makes the wrapped one global. A provider that is wrapped already stays as it is. */
  setMeterProvider(provider: MeterProvider): void;
  /** Has no effect: the views of `createHdr` are the configuration. */
  setConfig(config: object): void;
  /** The configuration that the SDK looks at: `{ enabled: true }`. */
  // biome-ignore lint/suspicious/noExplicitAny: each instrumentation has a configuration type of its own
  getConfig(): any;
}

/**
 * Makes an instrumentation that wraps the provider which an SDK makes itself. It must come before all others: the SDK
 * hands the global provider to one instrumentation after the other and looks it up anew each time, and this one replaces
 * it by the wrapped provider.
 */
export function hdrInstrumentation(wrap: (provider: MeterProvider) => MeterProvider): HdrInstrumentation {
  const config = { enabled: true };
  const wrapped = new WeakSet<MeterProvider>();
  return {
    instrumentationName: '@hdrscope/otel',
    instrumentationVersion: VERSION,
    enable() {},
    disable() {},
    setTracerProvider() {},
    setMeterProvider(provider) {
      // An SDK without a provider may hand out the API's own, which counts nothing and has no `shutdown`.
      if (wrapped.has(provider) || !('shutdown' in provider)) return;
      const ours = wrap(provider);
      wrapped.add(ours);
      metrics.disable();
      metrics.setGlobalMeterProvider(ours);
    },
    setConfig() {},
    getConfig: () => config,
  };
}
