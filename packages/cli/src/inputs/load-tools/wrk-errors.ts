import type { ErrorCount } from './load-summary.ts';

/**
 * The errors in the report of wrk2 or wrk. It has a line for them only when there are some. `undefined` when the text is no such report.
 * Source: wrk2, `src/wrk.c`, `main`.
 */
export function wrkErrors(text: string): ErrorCount | undefined {
  const [, responses] = /^ +(\d+) requests in [\d.]+[a-z]+, [\d.]+[A-Za-z]+ read$/m.exec(text) ?? [];
  if (responses === undefined) return undefined;
  const [, ...socket] =
    /^ +Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)$/m.exec(text) ?? [];
  const [, statuses = '0'] = /^ +Non-2xx or 3xx responses: (\d+)$/m.exec(text) ?? [];
  const broken = socket.reduce((sum, count) => sum + Number(count), 0);
  return {
    failed: broken + Number(statuses),
    requests: Number(responses) + broken,
    meaning: 'responses with a status of at least 400, timeouts and broken connections',
  };
}
