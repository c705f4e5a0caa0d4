import { readFileSync } from 'node:fs';
import { type OptionRule, optional, optionsIn, text } from '@hdrscope/core/internal';

/** Files in PEM, for HTTPS. They are read for each request, so renewed ones are used at once. */
export interface SenderTlsFiles {
  /** The certificates of the authorities that are trusted. @default those of Node.js */
  readonly caFile?: string | undefined;
  /** The sender's own certificate, for a receiver that asks for one. Needs `keyFile`. */
  readonly certFile?: string | undefined;
  /** The key of `certFile`. */
  readonly keyFile?: string | undefined;
}

const file = optional(text);

/** The rule of the files of a certificate. */
export const tls: OptionRule<SenderTlsFiles> = optionsIn<SenderTlsFiles>({
  name: 'tls',
  rules: { caFile: file, certFile: file, keyFile: file },
});

/** The rule of a receiver's URL. It may have a password, so messages leave it out. */
export const url: OptionRule<string> = {
  allowed: 'a URL such as http://localhost:4318/v1/metrics',
  accepts: (value): value is string =>
    typeof value === 'string' && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol),
  isSecret: true,
};

/**
 * Reads the files, for the TLS options of a request.
 *
 * @throws The system's error when a file cannot be read.
 */
export function tlsOptionsOf({ caFile, certFile, keyFile }: SenderTlsFiles): {
  ca?: Buffer;
  cert?: Buffer;
  key?: Buffer;
} {
  return {
    ...(caFile !== undefined && { ca: readFileSync(caFile) }),
    ...(certFile !== undefined && { cert: readFileSync(certFile) }),
    ...(keyFile !== undefined && { key: readFileSync(keyFile) }),
  };
}
