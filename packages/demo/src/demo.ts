import { once } from 'node:events';
import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { openHistory } from '@hdrscope/history';
import { closeServer } from '@hdrscope/kit';
import { formatTally, formatWholeRun, isReconciled, type Outcome } from './final-report.ts';
import { rowsByRoute } from './latency-table.ts';
import { HOST, listen } from './listening.ts';
import { startLiveTable } from './live-table.ts';
import { startLoad } from './load.ts';
import type { DemoOptions } from './options.ts';
import { createOutput, type Output } from './output.ts';
import { createPage } from './page.ts';
import { createRoutes } from './routes.ts';
import { saveDistributions } from './saved-distributions.ts';
import { createService } from './service.ts';
import { handleStopSignals } from './signals.ts';
import { countsInMetricsText, createDurationHistogram, startTelemetry } from './telemetry.ts';
import { LOAD_USER_AGENT } from './traffic.ts';

const monotonicMs = (): number => performance.now();

/** Runs the whole demo. Returns the exit code: 1 when the numbers do not add up. */
export async function runDemo(options: DemoOptions): Promise<number> {
  const ending = new AbortController();
  const out = createOutput(process.stdout, () => ending.abort());
  handleStopSignals({
    source: process,
    monotonicMs,
    onStop: (signal) => {
      out.write(`\n${signal}: waiting for the last answers\n`);
      ending.abort();
    },
    onImpatience: (exitCode) => process.exit(exitCode),
  });

  const telemetry = startTelemetry();
  const routes = createRoutes({ random: Math.random, sleep });
  const labels = routes.map(({ method, template }) => `${method} ${template}`);
  const duration = createDurationHistogram();
  const service = createService({ routes, duration, loadUserAgent: LOAD_USER_AGENT, monotonicMs });

  const url = await open('the service has', service.server, options.port, out);
  const metricsUrl = `${await open('the metrics have', telemetry.server, options.metricsPort, out)}/metrics`;
  const { registry } = telemetry.hdr;
  const { historyTo } = options;
  const history =
    historyTo && (await openHistory(registry, { folder: historyTo, intervalMs: 1000, producer: 'demo' }));
  const page = options.pagePort === undefined ? undefined : createPage(registry);
  const pageUrl = page && `${await open('the page has', page.server, options.pagePort!, out)}/`;
  out.write(formatStart({ pageUrl, url, metricsUrl }, options));

  const load = await startLoad({ url, connections: options.connections });
  const startMs = monotonicMs();
  const secondsSinceStart = (): number => (monotonicMs() - startMs) / 1000;
  const table = startLiveTable({ registry, secondsSinceStart, labels, out });
  const timer = options.seconds > 0 ? setTimeout(() => ending.abort(), options.seconds * 1000) : undefined;
  await Promise.race([aborted(ending.signal), load.report]);
  clearTimeout(timer);
  load.stop();
  const report = await load.report;
  const seconds = secondsSinceStart();

  // After the server has closed, every answer has been counted.
  await closeServer(service.server);
  await table.finish();
  const scraped = countsInMetricsText(await (await fetch(metricsUrl)).text());
  const outcome: Outcome = {
    snapshot: await registry.gather(),
    labels,
    load: report,
    answersToOthers: service.answersToOthers,
    scraped,
    seconds,
  };
  out.write(`\n${formatWholeRun(outcome)}\n${formatTally(outcome)}`);
  if (options.saveTo !== undefined) {
    const endSec = Date.now() / 1000;
    const time = { startSec: endSec - seconds, endSec };
    const files = await saveDistributions(options.saveTo, rowsByRoute(outcome.snapshot, labels), time);
    out.write(`\nsaved ${files.join(', ')} in ${options.saveTo}\n`);
  }
  if (history) {
    await history.close();
    const { writtenRows, lostRows } = history.health;
    out.write(
      `\nwrote ${writtenRows} rows of a history to ${historyTo}${lostRows > 0 ? `, and lost ${lostRows}` : ''}\n`,
    );
  }
  page?.end();
  await Promise.all([telemetry.server, page?.server].map((server) => server && closeServer(server)));
  await telemetry.shutdown();
  return isReconciled(outcome) ? 0 : 1;
}

interface Addresses {
  readonly pageUrl: string | undefined;
  readonly url: string;
  readonly metricsUrl: string;
}

function formatStart({ pageUrl, url, metricsUrl }: Addresses, { connections, seconds }: DemoOptions): string {
  return `
hdrscope demo: a service under load, its latencies in HDR histograms behind plain OpenTelemetry

${pageUrl === undefined ? '' : `  page     ${pageUrl}\n`}  service  ${url}
  metrics  ${metricsUrl}
  load     ${connections} ${connections === 1 ? 'connection' : 'connections'}, ${seconds === 0 ? 'until Ctrl-C' : `for ${seconds} s or until Ctrl-C`}

The requests of each route since the previous lines:

`;
}

async function open(who: string, server: Server, wantedPort: number, out: Output): Promise<string> {
  const { port, obstacle } = await listen(server, wantedPort);
  if (obstacle !== undefined) out.write(`${obstacle}: ${who} port ${port} instead\n`);
  return `http://${HOST}:${port}`;
}

function aborted(signal: AbortSignal): Promise<unknown> {
  return signal.aborted ? Promise.resolve() : once(signal, 'abort');
}
