import type * as z from '#zod';
import { duration, mapping, text, texts } from '../config/values.ts';
import type { EntryDelivery } from '../health.ts';
import type { EntryContext, Running } from '../part.ts';

// Keys and code of sinks that send to a server.

/** Files for https, for a client. */
interface ClientTls {
  readonly caFile?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
}

const pem = text('the path of a file in PEM').exactOptional();

export const tls: z.ZodType<ClientTls, unknown> = mapping({
  caFile: pem.describe('The certificates that the server may have.'),
  certFile: pem.describe('The certificate of the client.'),
  keyFile: pem.describe('The private key of the client.'),
})
  .prefault({})
  .describe('Files for https, in PEM. Default: those of Node.js.');

export const headers: z.ZodPrefault<typeof texts> = texts
  .prefault({})
  .describe('Headers of every request, such as authorization.');

export const timeout: z.ZodPrefault<typeof duration> = duration
  .prefault('10s')
  .describe('How long a request and its answer may take. Not longer than interval.');

export function checkTimeout({
  value: { timeout, interval },
  issues,
}: {
  readonly value: { readonly timeout: number; readonly interval: number };
  readonly issues: { push(issue: z.core.$ZodRawIssue): unknown };
}): void {
  if (timeout <= interval) return;
  const message = 'must not be longer than interval';
  issues.push({ code: 'custom', message, path: ['timeout'], input: timeout });
}

/** A URL without user and password. */
export function withoutUser(text: string): string {
  const url = new URL(text);
  if (url.username === '' && url.password === '') return text;
  url.username = '';
  url.password = '';
  return url.href;
}

/** A URL as it may be shown: without user and password, and without the values of its query, which may be keys. */
export function shownUrl(text: string): string {
  return withoutUser(text).replaceAll(/([?&](?:[^=&#]*=)?)[^&#]+/g, '$1***');
}

/** A sender that works for a sink. */
interface Sender {
  close(options: { readonly timeoutMs: number }): Promise<void>;
}

/** Hears the reports of a sender. */
interface Observer {
  succeeded(): void;
  failed(error: Error): void;
}

/**
 * Starts a sender as a sink: the health of the sink shows its deliveries and failures.
 *
 * @param readDelivery Returns the deliveries of the sink: those of this sender and of earlier ones.
 */
export function startSending<Own extends Sender>(
  url: string,
  context: EntryContext,
  start: (observer: Observer) => Own,
  readDelivery: (sender: Own) => EntryDelivery,
): Running {
  const report = (): void => context.delivered(readDelivery(sender));
  const sender = start({
    succeeded() {
      report();
      context.succeeded();
    },
    failed(error) {
      report();
      context.failed(error);
    },
  });
  report();
  return {
    note: shownUrl(url),
    async stop() {
      try {
        await sender.close({ timeoutMs: context.shutdownTimeoutMs });
      } finally {
        report();
      }
    },
  };
}
