import { collectDiagnostics } from '@hdrscope/testing/diagnostics';
import { diag } from '@opentelemetry/api';
import { report, warnOnce } from '../src/diagnostics.ts';

const log = collectDiagnostics();

test("a report reaches the logger that was set through OpenTelemetry's API", () => {
  report('warn', 'careful');
  report('error', 'broken');
  report('debug', 'by the way');
  expect(log).toEqual({ warnings: ['careful'], errors: ['broken'], debug: ['by the way'] });
});

test('a report is lost when no logger is set, or OpenTelemetry is absent', () => {
  diag.disable();
  report('warn', 'careful');
  const globals = globalThis as Record<symbol, unknown>;
  const key = Symbol.for('opentelemetry.js.api.1');
  const api = globals[key];
  expect(api).toBeDefined();
  globals[key] = undefined;
  report('warn', 'careful');
  globals[key] = api;
  expect(log.warnings).toEqual([]);
});

test('a logger that throws does no harm', () => {
  const fail = (): never => {
    throw new Error('disk full');
  };
  diag.setLogger(
    { error: fail, warn: fail, info: fail, debug: () => {}, verbose: fail },
    {
      suppressOverrideMessage: true,
    },
  );
  expect(() => report('error', 'broken')).not.toThrow();
});

test('a repeated warning is logged once, and only so many warnings are logged', () => {
  const warn = warnOnce();
  for (let i = 0; i < 3000; i++) warn(`name ${i % 2000}`);
  expect(log.warnings).toHaveLength(1000);
  expect(new Set(log.warnings).size).toBe(1000);
});
