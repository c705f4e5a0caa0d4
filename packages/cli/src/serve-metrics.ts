import { inUrl } from '@hdrscope/kit/server';
import { type ServePrometheusOptions, servePrometheus } from '@hdrscope/prometheus';
import type { Registry } from '@hdrscope/registry';
import { ExitCode, type Io } from './command.ts';
import { schemeOf } from './guard-options.ts';
import { untilAborted } from './until-aborted.ts';

/** Where and how a command serves metrics. */
export type MetricsOptions = ServePrometheusOptions & { readonly host: string };

/** Serves a registry to Prometheus until the command is aborted, and prints the address. @returns The exit code. */
export async function serveMetrics(registry: Registry, options: MetricsOptions, io: Io): Promise<number> {
  const server = await servePrometheus(registry, options);
  try {
    await io.stdout.write(`${schemeOf(options)}://${inUrl(options.host)}:${server.port}/metrics\n`);
    await untilAborted(io.signal);
    return ExitCode.done;
  } finally {
    await server.close();
  }
}
