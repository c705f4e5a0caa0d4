import { readFileSync, unwatchFile, watchFile } from 'node:fs';
import type { Server } from 'node:tls';
import { HdrscopeError } from '@hdrscope/core';
import { reasonOf } from '../reason-of.ts';

/** The files of a certificate, in PEM. */
export interface TlsFiles {
  /** The certificate, and those of its issuers after it. */
  readonly certFile: string;
  /** The private key. */
  readonly keyFile: string;
}

/** The content of the files. */
export interface TlsContent {
  readonly cert: Buffer;
  readonly key: Buffer;
}

// Renewed certificates are exchanged days before the old one ends. Looking is cheap, and works for links and mounted folders.
const LOOK_MS = 2000;

/** @throws The system's error when a file cannot be read. */
function readTlsFiles({ certFile, keyFile }: TlsFiles): TlsContent {
  return { cert: readFileSync(certFile), key: readFileSync(keyFile) };
}

/**
 * Gives new connections of a server the certificate of the files, whenever one of them changes. Files that do not fit each other,
 * as while only one of them has been replaced, leave the old certificate in use.
 *
 * @returns Ends the watch.
 */
function watchTlsFiles(
  files: TlsFiles,
  server: Pick<Server, 'setSecureContext'>,
  onProblem: (problem: Error) => void,
): () => void {
  const renew = (): void => {
    try {
      server.setSecureContext(readTlsFiles(files));
    } catch (error) {
      onProblem(error as Error);
    }
  };
  const paths = [files.certFile, files.keyFile];
  for (const path of paths) watchFile(path, { interval: LOOK_MS, persistent: false }, renew);
  return () => {
    for (const path of paths) unwatchFile(path, renew);
  };
}

/**
 * Makes a server with the certificate of the files, which it takes anew when they change.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the files are not a certificate and its key. The system's error when one of them
 *   cannot be read.
 */
export function createTlsServer<TlsServer extends Pick<Server, 'setSecureContext' | 'once'>>(
  files: TlsFiles,
  create: (content: TlsContent) => TlsServer,
  onProblem: (problem: Error) => void,
): TlsServer {
  const content = readTlsFiles(files);
  try {
    const server = create(content);
    server.once('close', watchTlsFiles(files, server, onProblem));
    return server;
  } catch (cause) {
    const message = `tls.certFile and tls.keyFile must be a certificate and its private key, in PEM: ${reasonOf(cause)}`;
    throw new HdrscopeError('ERR_INVALID_OPTION', message, { cause });
  }
}
