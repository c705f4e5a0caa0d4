import { type MeterProvider, metrics, type TracerProvider } from '@opentelemetry/api';

/** The members of `@opentelemetry/instrumentation`'s `Instrumentation` that `NodeSDK` calls. */
export interface HdrInstrumentation {
  readonly instrumentationName: string;
  readonly instrumentationVersion: string;
  enable(): void;
  disable(): void;
  setTracerProvider(provider: TracerProvider): void;
  setMeterProvider(provider: MeterProvider): void;
  setConfig(config: object): void;
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
    instrumentationVersion: '0.1.0',
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
