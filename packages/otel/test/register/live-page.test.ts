import { setTimeout as sleep } from 'node:timers/promises';
import { createRegistry } from '@hdrscope/registry';
import type { Application } from '../../src/register/application.ts';
import { readLivePage, warnOfNoLivePage } from '../../src/register/live-page.ts';

/** What the application's `@hdrscope/dashboard` was asked to do. */
let calls: unknown[][] = [];
let closed = 0;
let failures: Error[] = [];
const application: Pick<Application, 'load'> = {
  load(name) {
    if (name !== '@hdrscope/dashboard') throw new Error(`${name} is not installed`);
    return {
      async serveDashboard(...args: unknown[]) {
        calls.push(args);
        const failure = failures.shift();
        if (failure !== undefined) throw failure;
        return { close: async () => void closed++ };
      },
    };
  },
};

let warnings: string[] = [];
const { emitWarning } = process;
beforeEach(() => {
  [calls, closed, failures, warnings] = [[], 0, [], []];
  process.emitWarning = (message: string | Error, options?: unknown) => {
    warnings.push(`${(options as { readonly code?: string }).code} ${message}`);
  };
});
afterEach(() => {
  process.emitWarning = emitWarning;
});

const registry = createRegistry();

async function until(condition: () => boolean): Promise<void> {
  for (let tries = 0; !condition(); tries++) {
    if (tries === 1000) throw new Error('it has not come to pass');
    await sleep(5);
  }
}

test('the page is served where the variable says, and only when a process leads', async () => {
  const page = readLivePage({ HDRSCOPE_LIVE_PAGE: '9465' }, application, 'shop')!;
  expect(calls).toEqual([]);
  page.serve(registry);
  const other = { HDRSCOPE_LIVE_PAGE: '[::]:80', HDRSCOPE_TOKEN: 'a secret of 16 letters' };
  readLivePage(other, application, undefined)!.serve(registry);
  expect(calls).toEqual([
    [registry, { port: 9465, title: 'shop' }],
    [registry, { host: '[::]', port: 80, token: 'a secret of 16 letters' }],
  ]);
  await sleep(1);
  page.close();
  expect(closed).toBe(1);
  expect(warnings).toEqual([]);
});

test('a process that ends while the page starts closes it', async () => {
  const page = readLivePage({ HDRSCOPE_LIVE_PAGE: '9465' }, application, undefined)!;
  page.serve(registry);
  page.close();
  await sleep(1);
  expect(closed).toBe(1);
});

test('without the variable there is no page, and another value gets a warning', () => {
  expect(readLivePage({}, application, undefined)).toBeUndefined();
  for (const value of ['yes', '0', '65536', 'localhost', 'localhost:', '-1'])
    expect(readLivePage({ HDRSCOPE_LIVE_PAGE: value }, application, undefined)).toBeUndefined();
  expect(warnings).toHaveLength(6);
  expect(warnings[0]).toBe(
    "ERR_INVALID_OPTION HDRSCOPE_LIVE_PAGE must be a port such as 9465, or a host and a port, got 'yes'",
  );
});

test('an application without the package gets the line for npm', () => {
  const absent: Pick<Application, 'load'> = {
    load() {
      throw new Error('no', { cause: Object.assign(new Error('absent'), { code: 'MODULE_NOT_FOUND' }) });
    },
  };
  readLivePage({ HDRSCOPE_LIVE_PAGE: '9465' }, absent, undefined)!.serve(registry);
  expect(warnings).toEqual([
    'HDRSCOPE_MISSING_PACKAGE the live page is not served: npm install @hdrscope/dashboard',
  ]);
});

test('a port that another program has is named, and taken when it is free', async () => {
  const taken = (): Error => Object.assign(new Error('address in use'), { code: 'EADDRINUSE' });
  failures = [taken(), taken()];
  const page = readLivePage({ HDRSCOPE_LIVE_PAGE: '9465' }, application, undefined, 5)!;
  page.serve(registry);
  await until(() => calls.length === 3);
  expect(calls).toHaveLength(3);
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toMatch(/^HDRSCOPE_FAILED the live page is not served: .* by HDRSCOPE_LIVE_PAGE$/);
  page.close();
  expect(closed).toBe(1);
});

test('nobody tries again to get a port after the end, or when the options are wrong', async () => {
  const wrong = Object.assign(new Error('host must be loopback'), { code: 'ERR_INVALID_OPTION' });
  failures = [Object.assign(new Error('again'), { code: 'EADDRINUSE' }), wrong];
  const page = readLivePage({ HDRSCOPE_LIVE_PAGE: '9466' }, application, undefined, 5)!;
  page.serve(registry);
  await until(() => warnings.length > 0);
  page.close();
  readLivePage({ HDRSCOPE_LIVE_PAGE: '0.0.0.0:9465' }, application, undefined, 5)!.serve(registry);
  await sleep(50);
  expect(calls).toHaveLength(2);
  expect(warnings.at(-1)).toBe(
    'ERR_INVALID_OPTION HDRSCOPE_LIVE_PAGE and HDRSCOPE_TOKEN: host must be loopback',
  );
});

test('a page that nothing serves gets a warning', () => {
  warnOfNoLivePage({});
  expect(warnings).toEqual([]);
  warnOfNoLivePage({ HDRSCOPE_LIVE_PAGE: '9465' });
  expect(warnings.join()).toMatch(
    /^HDRSCOPE_UNREACHABLE the live page is not served: it needs .*PORTER=prometheus/,
  );
});
