import { type MeterProvider, metrics, type TracerProvider } from '@opentelemetry/api';

/** `Instrumentation` of `@opentelemetry/instrumentation`, as far as `NodeSDK` asks it. */
export interface HdrInstrumentation {
  readonly instrumentationName: string;
  readonly instrumentationVersion: string;
  enable(): void;
  disable(): void;
  setTracerProvider(provider: TracerProvider): void;
  setMeterProvider(provider: MeterProvider): void;
  setConfig(config: object): void;
  // biome-ignore lint/suspicious/noExplicitAny: what other instrumentations have there is theirs to say
  getConfig(): any;
}

/**
 * What tells an SDK that makes its provider itself: an instrumentation, given to it before all others. The SDK hands its
 * provider to each of them in turn, looking up the global one anew each time; this one puts the wrapped provider there.
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
      // Before the SDK has made its provider, it may hand out the API's, which counts nothing.
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
