import { readFile } from 'node:fs/promises';
import { assertToken, type GuardOptions, type TlsFiles } from '@hdrscope/kit/server';
import { type Io, Refusal, UsageError } from './command.ts';
import { defineOptions, type OptionsOf } from './define-command.ts';
import { systemErrorText } from './system-error.ts';

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
  return (await textOf(path)).toString('utf8').trim();
}

async function textOf(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (cause) {
    throw new Refusal(systemErrorText(cause, path), { cause });
  }
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
  const [cert, key] = [await textOf(certFile), await textOf(keyFile)];
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
