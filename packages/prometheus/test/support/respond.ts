import type { ScrapeRequest, ScrapeResponse } from '../../src/scrape.ts';

/** What a handler answered. */
export interface Response {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: Uint8Array;
}

type Handler = (request: ScrapeRequest, response: ScrapeResponse) => void;

/** Calls a handler without a server. The response has `end` only. */
export function respond(handler: Handler, headers: Record<string, string> = {}): Promise<Response> {
  return new Promise((resolve) => {
    const sent: Record<string, string | number> = {};
    const response: ScrapeResponse = {
      statusCode: 0,
      setHeader: (name, value) => {
        sent[name] = value;
      },
      end: (body = new Uint8Array()) => resolve({ status: response.statusCode, headers: sent, body }),
    };
    handler({ headers }, response);
  });
}
