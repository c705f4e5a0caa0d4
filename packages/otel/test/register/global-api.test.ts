import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { javaScriptOf } from '@hdrscope/testing';
import { context, type MeterProvider, metrics, ROOT_CONTEXT } from '@opentelemetry/api';
import { type GlobalApi, hookGlobalApi } from '../../src/register/global-api.ts';

const KEY = Symbol.for('opentelemetry.js.api.1');
/** Another copy of the API in this process, like one that a bundler has put into an application. */
const other = createRequire(import.meta.url)('@opentelemetry/api') as typeof import('@opentelemetry/api');

interface Named extends MeterProvider {
  readonly name: string;
}

const named = (name: string): Named => ({ name, getMeter: () => ({}) as never });
const wrapped = (provider: MeterProvider): Named => named(`wrapped ${(provider as Named).name}`);
const globalName = (): string => (metrics.getMeterProvider() as Named).name;

// Also forgets the hook of a test.
afterEach(() => {
  delete (globalThis as { [KEY]?: GlobalApi })[KEY];
});

test('a provider that any copy of the API registers is replaced', () => {
  hookGlobalApi(wrapped);
  expect(other.metrics).not.toBe(metrics);
  expect(other.metrics.setGlobalMeterProvider(named('a'))).toBe(true);
  expect(globalName()).toBe('wrapped a');
  expect((other.metrics.getMeterProvider() as Named).name).toBe('wrapped a');
  expect(metrics.setGlobalMeterProvider(named('b'))).toBe(false);
  metrics.disable();
  expect(globalName()).toBeUndefined();
  expect(metrics.setGlobalMeterProvider(named('b'))).toBe(true);
  expect(globalName()).toBe('wrapped b');
});

test('a provider that was there before the hook is replaced', () => {
  metrics.setGlobalMeterProvider(named('a'));
  const earlier: boolean[] = [];
  hookGlobalApi((provider, isEarlier) => {
    earlier.push(isEarlier);
    return wrapped(provider);
  });
  expect([globalName(), earlier]).toEqual(['wrapped a', [true]]);
});

// In a process: the global scope of Jest reads what it has just assigned, and applications do not.
test('a provider that was given stays until somebody else registers one', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hdrscope-api-'));
  try {
    const source = fileURLToPath(new URL('../../src/register/global-api.ts', import.meta.url));
    writeFileSync(join(folder, 'global-api.mjs'), javaScriptOf(source));
    const api = createRequire(import.meta.url).resolve('@opentelemetry/api');
    const script = `
      import { createRequire } from 'node:module';
      import { hookGlobalApi } from './global-api.mjs';
      const { context, metrics, ROOT_CONTEXT } = createRequire(import.meta.url)(${JSON.stringify(api)});
      const other = await import(${JSON.stringify(pathToFileURL(api.replace(/cjs$/, 'mjs')).href)});
      const named = (name) => ({ name, getMeter() {} });
      const manager = (name) => ({ active: () => name, enable() {}, disable() {} });
      const seen = [];
      const look = (...more) => seen.push([other.metrics.getMeterProvider().name, context.active(), ...more]);
      const ours = named('ours');
      const hook = hookGlobalApi(({ name }) => named('wrapped ' + name));
      hook.give(
        { metrics: ours, context: manager('our context') },
        () => metrics.setGlobalMeterProvider(ours),
        ({ name }) => seen.push(name),
      );
      look(other.metrics !== metrics);
      look(context.setGlobalContextManager(manager('their context')));
      look(other.metrics.setGlobalMeterProvider(named('a')));
      look(metrics.setGlobalMeterProvider(named('b')));
      console.log(JSON.stringify(seen));`;
    writeFileSync(join(folder, 'main.mjs'), script);
    const { stdout, stderr } = spawnSync(process.execPath, [join(folder, 'main.mjs')], { encoding: 'utf8' });
    expect(stderr).toBe('');
    // The API would refuse the second and the third as second registrations.
    expect(JSON.parse(stdout)).toEqual([
      ['ours', 'our context', true],
      ['ours', 'their context', true],
      'wrapped a',
      ['wrapped a', 'their context', true],
      ['wrapped a', 'their context', false],
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('an application without a provider sees none', () => {
  hookGlobalApi(wrapped);
  expect(globalName()).toBeUndefined();
  expect(context.active()).toBe(ROOT_CONTEXT);
});
