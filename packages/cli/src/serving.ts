import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { DAY_MS } from '@hdrscope/kit';
import { assertToken, type GuardOptions, inUrl, type TlsFiles } from '@hdrscope/kit/server';
import { type ServePrometheusOptions, servePrometheus } from '@hdrscope/prometheus';
import type { Registry } from '@hdrscope/registry';
import { ExitCode, type Io, Refusal, UsageError } from './command.ts';
import { defineOptions, type OptionsOf } from './define-command.ts';
import { integer } from './options.ts';
import { refusing } from './system-error.ts';

// Address and protection.

export function addressOptions(port: number) {
  return defineOptions({
    port: {
      value: '<number>',
      help: 'the port; 0 takes a free one',
      parse: integer(0, 65_535),
      default: port,
    },
    host: { value: '<name>', help: 'the address to listen on', default: 'localhost' },
  });
}

const TOKEN_VARIABLE = 'HDRSCOPE_TOKEN';

/** `--token-file`, `--allow-host`, `--tls-cert` and `--tls-key`: the protection of a server. */
export const GUARD = defineOptions({
  tokenFile: {
    value: '<file>',
    help: `a file with the token that clients must send; else ${TOKEN_VARIABLE} of the environment; else no token is needed`,
  },
  allowHost: {
    value: '<name>',
    help: 'a name besides localhost by which clients may call a server that only this machine sees, such as that of a proxy; may be repeated',
    isRepeated: true,
    fallback: 'none',
  },
  tlsCert: {
    value: '<file>',
    help: 'a certificate (PEM): the server uses HTTPS, and reads the file again when it changes',
  },
  tlsKey: { value: '<file>', help: 'the private key of the certificate (PEM)' },
});

export type GuardingOptions = OptionsOf<typeof GUARD>;

/**
 * The protection of a server, as the options and the environment state it. Has no keys for options that are left out.
 *
 * @throws UsageError, Refusal; HdrscopeError `ERR_INVALID_OPTION` when the token is too short.
 */
export async function guardOf(options: GuardingOptions, { environment }: Io): Promise<GuardOptions> {
  const { tokenFile, allowHost } = options;
  const token = tokenFile === undefined ? environment[TOKEN_VARIABLE] : await tokenOf(tokenFile);
  assertToken(token);
  const tls = tlsOf(options);
  if (tls !== undefined) await assertTls(tls);
  return {
    ...(token !== undefined && { token }),
    ...(allowHost.length > 0 && { allowedHosts: allowHost }),
    ...(tls !== undefined && { tls }),
  };
}

export function schemeOf({ tls }: GuardOptions): 'http' | 'https' {
  return tls === undefined ? 'http' : 'https';
}

async function tokenOf(path: string): Promise<string> {
  return (await refusing(path, () => readFile(path, 'utf8'))).trim();
}

function tlsOf({ tlsCert, tlsKey }: GuardingOptions): TlsFiles | undefined {
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsCert === undefined || tlsKey === undefined) {
    throw new UsageError('--tls-cert and --tls-key need each other: a certificate and its private key');
  }
  return { certFile: tlsCert, keyFile: tlsKey };
}

/** @throws Refusal when the files are not a certificate and its key. The message has nothing of the key. */
async function assertTls({ certFile, keyFile }: TlsFiles): Promise<void> {
  const cert = await refusing(certFile, () => readFile(certFile));
  const key = await refusing(keyFile, () => readFile(keyFile));
  const { createSecureContext } = await import('node:tls');
  try {
    createSecureContext({ cert, key });
  } catch (cause) {
    throw new Refusal(
      `${certFile} and ${keyFile} must be a certificate and its private key, in PEM: ${(cause as Error).message}`,
      { cause },
    );
  }
}

// Serving.

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

/** Keeps the process alive until the signal aborts, and then rejects. Servers of this project keep no process alive. */
export async function untilAborted(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) await sleep(DAY_MS, undefined, { signal });
}
