import { z } from 'zod';
import type { ServerConfig } from './types.ts';
import { duration, mapping, text, wholeNumber } from './values.ts';

const LARGEST_LIMIT = 2 ** 31 - 1;

const count = wholeNumber(1, LARGEST_LIMIT).optional();
const time = duration.optional();

const limits: z.ZodType<ServerConfig['limits'], unknown> = mapping({
  connections: count,
  connectionsOfAddress: count,
  requests: count,
  headersTimeout: time,
  requestTimeout: time,
  answerTimeout: time,
  idleTimeout: time,
})
  .prefault({})
  .transform(({ headersTimeout, requestTimeout, answerTimeout, idleTimeout, ...counts }) => {
    const times = {
      headersMs: headersTimeout,
      requestMs: requestTimeout,
      answerMs: answerTimeout,
      idleMs: idleTimeout,
    };
    const given = Object.entries({ ...counts, ...times }).filter(([, limit]) => limit !== undefined);
    // A duration may be less than a millisecond.
    return Object.fromEntries(
      given.map(([name, limit]) => [name, Math.ceil(limit!)]),
    ) as ServerConfig['limits'];
  });

/** The keys of every HTTP server, beside its `listen`. */
interface ServerShape extends z.ZodRawShape {
  readonly token: z.ZodOptional<z.ZodString>;
  readonly allowedHosts: z.ZodDefault<z.ZodArray<z.ZodString>>;
  readonly limits: typeof limits;
  readonly tls: z.ZodOptional<ReturnType<typeof mapping<Record<'certFile' | 'keyFile', z.ZodString>>>>;
}

export const server: ServerShape = {
  token: z
    .string({ error: 'must be a text' })
    .regex(/^[\w.~-]{16,}$/, { error: 'must be at least 16 letters, digits and -._~' })
    .optional(),
  allowedHosts: z
    .array(text('the name of a host'), { error: 'must be a list of names of hosts' })
    .default([]),
  limits,
  tls: mapping({
    certFile: text('the path of a certificate in PEM'),
    keyFile: text('the path of a private key in PEM'),
  }).optional(),
};
