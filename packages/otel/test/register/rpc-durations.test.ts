import {
  type Attributes,
  createNoopMeter,
  type Histogram,
  type MeterProvider,
  SpanKind,
} from '@opentelemetry/api';
import { measureCalls } from '../../src/register/rpc-durations.ts';

/** What instruments were given: their names, units, values and attributes. */
class Recorded {
  readonly calls: [name: string, unit: string | undefined, ms: number, attributes: Attributes][] = [];
  readonly provider: MeterProvider = {
    getMeter: () =>
      Object.assign(createNoopMeter(), {
        createHistogram: (name: string, { unit }: { unit?: string } = {}): Histogram => ({
          record: (ms, attributes = {}) => void this.calls.push([name, unit, ms, attributes]),
        }),
      }),
  };
}

test('a call counts once, when its span ends, with the attributes of the convention', async () => {
  const { calls, provider } = new Recorded();
  const tracer = measureCalls(provider, () => false).getTracer('any');
  for (const kind of [SpanKind.SERVER, SpanKind.CLIENT]) {
    const span = tracer.startSpan('grpc.shop.Shop/GetItem', { kind });
    span
      .setAttributes({ 'rpc.system': 'grpc', 'rpc.service': 'shop.Shop', 'grpc.error_message': 'long' })
      .setAttribute('rpc.method', 'GetItem')
      .setAttribute('rpc.grpc.status_code', 5);
    await new Promise((resolve) => setTimeout(resolve, 20));
    span.end();
    span.end();
    expect(span.isRecording()).toBe(false);
  }
  const attributes = {
    'rpc.system': 'grpc',
    'rpc.service': 'shop.Shop',
    'rpc.method': 'GetItem',
    'rpc.grpc.status_code': 5,
  };
  expect(calls).toEqual([
    ['rpc.server.duration', 'ms', expect.any(Number), attributes],
    ['rpc.client.duration', 'ms', expect.any(Number), attributes],
  ]);
  for (const [, , ms] of calls) expect(ms).toBeGreaterThan(18);
});

test('calls of exporters are not calls of the application', () => {
  const { calls, provider } = new Recorded();
  const tracer = measureCalls(provider, () => true).getTracer('any');
  tracer.startSpan('grpc.opentelemetry', { kind: SpanKind.CLIENT }).end();
  expect(calls).toEqual([]);
});
