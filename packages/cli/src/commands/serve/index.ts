import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { basename, resolve } from 'node:path';
import { serveDashboard } from '@hdrscope/dashboard';
import type { GuardOptions } from '@hdrscope/kit/server';
import { createRegistry, type Registry } from '@hdrscope/registry';
import { ExitCode, type Io, UsageError } from '../../command.ts';
import { defineCommand, defineOptions, type OptionsOf } from '../../define-command.ts';
import { spanOptions } from '../../moment.ts';
import { UNIT } from '../../options.ts';
import { addressOptions, GUARD, guardOf, schemeOf, untilAborted } from '../../serving.ts';
import { historyFolder, openDropped, recordOf, recordOfHistory, shownFiles } from './records.ts';

const DESCRIPTION = `Serves a page with percentile curves, percentiles over time and heat maps, until Ctrl-C.

A log (.hlog) is shown with all of its intervals: choose a time, compare it with another, merge tags. Percentile text
(.hgrm, its CSV, wrk2 --latency) has a tab of its own, and so have files that you drop on the page. All may be gzipped. The folder of a history is shown as a log is, by
DuckDB: @duckdb/node-api must be installed beside hdrscope. Only this machine sees the page,
unless --host names another address. That needs a token, which everybody who opens the page must know.`;

const OPTIONS = defineOptions({
  follow: { short: '-f', help: 'follows the logs as they grow' },
  ...addressOptions(9465),
  token: {
    value: '[text]',
    help: 'the token that opens the page; without a text, that of HDRSCOPE_TOKEN or a random one. Other users of this machine can see a text here',
  },
  open: { help: 'opens the page in the browser' },
  demo: { help: 'shows an invented service' },
  unit: { ...UNIT, help: 'the unit of the values', default: 'ns' },
  ...spanOptions('of a history: '),
  metric: { value: '<name>', help: 'of a history: the metric' },
  ...GUARD,
});

export const command = defineCommand({
  path: 'hdrscope serve',
  description: DESCRIPTION,
  examples: [
    'hdrscope serve service.hlog before.hgrm',
    'hdrscope serve -f service.hlog --open',
    'hdrscope serve history --since 7d --metric http.server.request.duration',
    'hdrscope serve --demo',
    'hdrscope serve --host 0.0.0.0 --token',
    'HDRSCOPE_TOKEN="$(cat token)" hdrscope serve --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem',
  ],
  operands: { '[file...]': 'the files to show, or the folder of a history' },
  options: OPTIONS,
  async run({ options, operands }, io) {
    const { port, host, unit, follow = false } = options;
    const { guard, isKnown } = await readProtection(options, io);
    if (options.demo === true && operands.length > 0) {
      throw new UsageError('--demo shows an invented service: it takes no files');
    }
    const folder = await historyFolder(operands, options);
    const { logs, others } =
      folder === undefined ? await shownFiles(operands, { unit, follow }, io) : NO_FILES;
    const registry = createRegistry();
    const stopDemo = options.demo === true ? startDemo(registry) : () => {};
    try {
      const shown =
        folder !== undefined
          ? await recordOfHistory(folder, options, io)
          : logs.length === 0
            ? registry
            : recordOf(logs, { unit, follow }, io);
      const server = await serveDashboard(shown, {
        ...guard,
        ...{ port, host },
        title: operands.length === 1 ? basename(resolve(operands[0]!)) : 'hdrscope',
        openFile: (_, bytes) => openDropped(unit, bytes),
        tabs: async () => others,
      });
      const url = server.url.replace(/^https?/, schemeOf(guard));
      const whole = guard.token === undefined ? url : `${url}?token=${guard.token}`;
      try {
        const shown = isKnown ? `${url} (with ?token= and the token)` : whole;
        await io.stdout.write(`the page is at ${shown}\n`);
        if (options.open === true) openInBrowser(whole);
        await untilAborted(io.signal);
      } finally {
        await server.close();
      }
      return ExitCode.done;
    } finally {
      stopDemo();
    }
  },
});

const NO_FILES = { logs: [], others: [] };

const TOKEN_BYTES = 24;

interface Protection {
  readonly guard: GuardOptions;
  /** Whether the person has put the token into a place where nobody else sees it. It is not printed then. */
  readonly isKnown: boolean;
}

async function readProtection({ token, ...others }: OptionsOf<typeof OPTIONS>, io: Io): Promise<Protection> {
  if (typeof token === 'string' && others.tokenFile !== undefined) {
    throw new UsageError('--token TEXT and --token-file exclude each other');
  }
  const guard = await guardOf(others, io);
  if (typeof token === 'string') return { guard: { ...guard, token }, isKnown: false };
  if (guard.token !== undefined || token === undefined) return { guard, isKnown: guard.token !== undefined };
  return { guard: { ...guard, token: randomBytes(TOKEN_BYTES).toString('base64url') }, isKnown: false };
}

const OPENERS: Partial<Record<NodeJS.Platform, readonly [program: string, ...args: string[]]>> = {
  darwin: ['open'],
  win32: ['explorer.exe'],
};

/** Opens the browser. Without one, the printed address has to do. */
function openInBrowser(url: string): void {
  const [program, ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true });
  child.on('error', () => {});
  child.unref();
}

// A page without files.

const ROUTES = [
  ['GET', '/products/{id}', 0.004],
  ['GET', '/search', 0.016],
  ['GET', '/reports/{month}', 0.09],
  ['POST', '/login', 0.06],
] as const;

const EVERY_MS = 50;

/**
 * Fills a registry with values that a service might count, for a page without files.
 *
 * @returns A function that stops it.
 */
function startDemo(registry: Registry): () => void {
  const durations = registry.histogram({
    name: 'http.server.request.duration',
    unit: 's',
    description: 'Made up: nobody has asked for anything.',
    significantDigits: 3,
  });
  const sizes = registry.histogram({ name: 'http.server.response.body.size', unit: 'By' });
  const boundaries = Array.from({ length: 26 }, (_, i) => 2 ** i * 1e-6);
  const waits = registry.histogram({ name: 'kernel.run_queue.latency', unit: 's', boundaries });
  const timer = setInterval(() => {
    for (const [method, route, typical] of ROUTES) {
      const attributes = { 'http.request.method': method, 'http.route': route };
      const requests = Math.round(0.4 / typical ** 0.6);
      for (let n = 0; n < requests; n++) {
        const outlier = Math.random() < 0.004 ? 10 : 1;
        durations.with(attributes).record(around(typical * outlier, 0.4));
        sizes.with(attributes).record(Math.round(around(8000, 0.8)));
      }
    }
    for (let cpu = 0; cpu < 4; cpu++) waits.with({ cpu }).record(around(20e-6, 1));
  }, EVERY_MS).unref();
  return () => clearInterval(timer);
}

/** A random positive number near `typical`, with a long tail above it. */
function around(typical: number, spread: number): number {
  return typical * Math.exp(spread * 2 * (Math.random() + Math.random() + Math.random() - 1.5));
}
