import { createRegistry } from '@hdrscope/registry';
import fc from 'fast-check';
import { convertSnapshot, prometheusHandler, render } from '../src/index.ts';
import { OPENMETRICS, PROTOBUF } from './support/http.ts';
import { registryOf } from './support/registry.ts';
import { respond } from './support/respond.ts';
import { samplesIn } from './support/text.ts';

async function textOf(values: readonly number[], name = 'x'): Promise<string[]> {
  const registry = registryOf(values, { name, resolution: 1e-12, significantDigits: 4 });
  const families = convertSnapshot(await registry.gather(), { vmrange: true });
  return samplesIn(new TextDecoder().decode(render(families, 'text')));
}

test('buckets are those of github.com/VictoriaMetrics/metrics 1.35.1', async () => {
  // Its text for the same values, but for the order of the lines. A value on a boundary is within a slot that is not.
  const values = [0, 1e-10, 2e-9, 0.000_11, 0.25, 0.250_000_1, 1.05, 1.1, 1.14, 9.99, 12.5];
  expect(await textOf(values)).toEqual([
    'x_count 11',
    expect.stringMatching(/^x_sum 26\.28/),
    'x_bucket{vmrange="0...1.000e-09"} 2',
    'x_bucket{vmrange="1.896e-09...2.154e-09"} 1',
    'x_bucket{vmrange="1.000e-04...1.136e-04"} 1',
    'x_bucket{vmrange="2.448e-01...2.783e-01"} 2',
    'x_bucket{vmrange="1.000e+00...1.136e+00"} 2',
    'x_bucket{vmrange="1.136e+00...1.292e+00"} 1',
    'x_bucket{vmrange="8.799e+00...1.000e+01"} 1',
    'x_bucket{vmrange="1.136e+01...1.292e+01"} 1',
  ]);
});

test('ranges follow each other without gaps, hold their values, and add up to the count', async () => {
  const value = fc.oneof(
    fc.double({ min: 1e-8, max: 1e3, noNaN: true }),
    fc.double({ min: 0, max: 1e-6, noNaN: true }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(value, { minLength: 1, maxLength: 50 }), async (values) => {
      const lines = (await textOf(values)).filter((line) => line.startsWith('x_bucket'));
      let last = 0;
      let total = 0;
      for (const line of lines) {
        const [, lower, upper, count] = /^x_bucket\{vmrange="(.+)\.\.\.(.+)"\} (\d+)$/.exec(line)!;
        expect(Number(lower)).toBeGreaterThanOrEqual(last);
        expect(Number(upper)).toBeGreaterThan(Number(lower));
        // Limits have four digits, and slots of 4 digits a width of 1e-4.
        const inside = values.filter((one) => one >= Number(lower) * 0.999 && one <= Number(upper) * 1.001);
        expect(inside.length).toBeGreaterThanOrEqual(Number(count));
        last = Number(upper);
        total += Number(count);
      }
      expect(total).toBe(values.length);
    }),
  );
});

test('attributes called vmrange and le get other names', async () => {
  const registry = createRegistry();
  registry.histogram({ name: 'x' }).with({ vmrange: 'mine', le: 'too' }).record(1);
  const families = convertSnapshot(await registry.gather(), { vmrange: true });
  expect(new TextDecoder().decode(render(families, 'text'))).toContain(
    'x_bucket{exported_vmrange="mine",exported_le="too",vmrange="',
  );
});

test('a handler shows them in text only', async () => {
  const registry = registryOf([1.05]);
  const [plain, handler] = [prometheusHandler(registry), prometheusHandler(registry, { vmrange: true })];
  expect(`${(await respond(handler)).body}`).toContain('x_bucket{vmrange="1.000e+00...1.136e+00"} 1\n');
  for (const accept of [OPENMETRICS, PROTOBUF]) {
    const [{ body }, { body: expected }] = [
      await respond(handler, { accept }),
      await respond(plain, { accept }),
    ];
    expect(Buffer.compare(body, expected)).toBe(0);
  }
});
