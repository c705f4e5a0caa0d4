import { readFileSync } from 'node:fs';

/** Files in PEM, for HTTPS. They are read for each request, so renewed ones are used at once. */
export interface SenderTlsFiles {
  /** The certificates of the authorities that are trusted. @default those of Node.js */
  readonly caFile?: string | undefined;
  /** The sender's own certificate, for a receiver that asks for one. Needs `keyFile`. */
  readonly certFile?: string | undefined;
  /** The key of `certFile`. */
  readonly keyFile?: string | undefined;
}

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
