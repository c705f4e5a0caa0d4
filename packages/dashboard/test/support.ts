import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import {
  type DashboardData,
  type RunningDashboard,
  type ServeDashboardOptions,
  serveDashboard,
} from '../src/index.ts';
import type { DetailMessage, RowsMessage, TableMessage, TabMessage, WhyMessage } from '../src/messages.ts';

const endings: (() => unknown)[] = [];

/** Ends everything that a test has started. Call it after each test. */
export async function endAll(): Promise<void> {
  for (const end of endings.splice(0).reverse()) await end();
}

/** Serves a page on a free port until the test ends. */
export async function serve(
  shown: DashboardData,
  options: ServeDashboardOptions = {},
): Promise<RunningDashboard> {
  const dashboard = await serveDashboard(shown, { port: 0, ...options });
  endings.push(() => dashboard.close());
  return dashboard;
}

/** A request. */
export interface Asked {
  readonly port: number;
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** The answer to a request. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Sends exactly these headers. `fetch` does not let a caller set `Host`. */
export async function ask(asked: Asked): Promise<Answer> {
  const response = await open(asked);
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  return { status: response.statusCode!, headers: response.headers, text };
}

export function open({
  port,
  path = '/',
  method = 'GET',
  headers = {},
  body,
}: Asked): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const asking = request({ host: 'localhost', port, path, method, headers, agent: false }, resolve);
    asking.on('error', reject);
    endings.push(() => asking.destroy());
    asking.end(body);
  });
}

/** A server-sent event. */
export interface ServerEvent {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: string;
}

/** Reads server-sent events one by one. */
export class EventReader {
  readonly response: IncomingMessage;
  readonly #chunks: AsyncIterator<string>;
  #text = '';

  constructor(response: IncomingMessage) {
    this.response = response;
    this.#chunks = response.setEncoding('utf8')[Symbol.asyncIterator]();
  }

  static async open(asked: Asked): Promise<EventReader> {
    return new EventReader(await open({ path: '/events', ...asked }));
  }

  /** The next event, without the comments that keep the connection alive. */
  async next(): Promise<ServerEvent> {
    for (;;) {
      const block = await this.block();
      const field = (name: string): string | undefined => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
      if (field('data') !== undefined) {
        return { event: field('event')!, id: field('id'), data: field('data')! };
      }
    }
  }

  async block(): Promise<string> {
    for (;;) {
      const end = this.#text.indexOf('\n\n');
      if (end !== -1) {
        const block = this.#text.slice(0, end);
        this.#text = this.#text.slice(end + 2);
        return block;
      }
      const { done, value } = await this.#chunks.next();
      if (done === true) throw new Error(`the events ended after ${JSON.stringify(this.#text)}`);
      this.#text += value;
    }
  }

  async table(): Promise<TableMessage & { readonly id: string }> {
    const { data, id } = await this.#nextOf('table');
    return { ...JSON.parse(data), id };
  }

  async detail(): Promise<DetailMessage> {
    return JSON.parse((await this.#nextOf('detail')).data);
  }

  async why(): Promise<WhyMessage> {
    return JSON.parse((await this.#nextOf('why')).data);
  }

  async rows(): Promise<RowsMessage> {
    return JSON.parse((await this.#nextOf('rows')).data);
  }

  async tab(): Promise<TabMessage> {
    return JSON.parse((await this.#nextOf('tab')).data);
  }

  close(): void {
    this.response.destroy();
  }

  async #nextOf(kind: string): Promise<ServerEvent> {
    for (;;) {
      const event = await this.next();
      if (event.event === kind) return event;
    }
  }
}
