import {
  type Attributes,
  type AttributeValue,
  type Context,
  context,
  type Histogram,
  INVALID_SPAN_CONTEXT,
  type MeterProvider,
  type Span,
  SpanKind,
  type SpanOptions,
  type Tracer,
  type TracerProvider,
  trace,
} from '@opentelemetry/api';

/** The instrumentation of gRPC makes spans, but no metrics. */
export const GRPC = '@opentelemetry/instrumentation-grpc';

/** Attributes of its spans that the metrics have, too: https://opentelemetry.io/docs/specs/semconv/rpc/rpc-metrics/ */
const SHOWN = ['rpc.system', 'rpc.service', 'rpc.method', 'rpc.grpc.status_code'];

/**
 * Tracers whose spans record how long calls take, as `rpc.server.duration` and `rpc.client.duration`, and nothing else.
 *
 * @param isIgnored Whether a call that begins in this context is not one of the application.
 */
export function measureCalls(
  provider: MeterProvider,
  isIgnored: (active: Context) => boolean,
): TracerProvider {
  const meter = provider.getMeter(GRPC);
  const histogramOf = (side: 'server' | 'client'): Histogram =>
    meter.createHistogram(`rpc.${side}.duration`, {
      description: `Duration of ${side === 'server' ? 'inbound' : 'outbound'} calls.`,
      unit: 'ms',
    });
  const [server, client] = [histogramOf('server'), histogramOf('client')];
  const tracer: Tracer = {
    startSpan(_name: string, { kind }: SpanOptions = {}, active: Context = context.active()): Span {
      return isIgnored(active)
        ? trace.wrapSpanContext(INVALID_SPAN_CONTEXT)
        : new Call(kind === SpanKind.SERVER ? server : client);
    },
    startActiveSpan: ((_name: string, ...args: readonly unknown[]) => {
      const run = args.at(-1) as (span: Span) => unknown;
      return run(tracer.startSpan(_name, args.length > 1 ? (args[0] as SpanOptions) : {}));
    }) as Tracer['startActiveSpan'],
  };
  return { getTracer: () => tracer };
}

/** A span that measures. To others it is one that is not recorded. */
class Call implements Span {
  readonly #histogram: Histogram;
  readonly #attributes: Record<string, AttributeValue | undefined> = {};
  readonly #beganMs = performance.now();
  #hasEnded = false;

  constructor(histogram: Histogram) {
    this.#histogram = histogram;
  }

  setAttribute(key: string, value: AttributeValue): this {
    if (SHOWN.includes(key)) this.#attributes[key] = value;
    return this;
  }

  setAttributes(attributes: Attributes): this {
    for (const [key, value] of Object.entries(attributes))
      if (value !== undefined) this.setAttribute(key, value);
    return this;
  }

  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#histogram.record(performance.now() - this.#beganMs, this.#attributes);
  }

  spanContext(): typeof INVALID_SPAN_CONTEXT {
    return INVALID_SPAN_CONTEXT;
  }

  isRecording(): boolean {
    return false;
  }

  addEvent(): this {
    return this;
  }

  addLink(): this {
    return this;
  }

  addLinks(): this {
    return this;
  }

  setStatus(): this {
    return this;
  }

  updateName(): this {
    return this;
  }

  recordException(): void {}
}
