import { PASSWORD } from './routes.ts';

/** A request of the load. */
export interface SentRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: string;
}

/** The user agent of the load client. The service counts requests of all others separately. */
export const LOAD_USER_AGENT = 'hdrscope-demo-load';

const product = (id: number | string): SentRequest => ({ method: 'GET', path: `/products/${id}` });
const search = (q: string): SentRequest => ({ method: 'GET', path: `/search?q=${q}` });
const report = (month: string): SentRequest => ({ method: 'GET', path: `/reports/${month}` });
const login = (body: string): SentRequest => ({ method: 'POST', path: '/login', body });

/** The requests that every connection repeats: a day in the shop, with its typing errors. */
const DAY: readonly SentRequest[] = [
  search('lamp'),
  product(17),
  product(240),
  login(PASSWORD),
  product(401),
  search('desk'),
  product(88),
  report('2026-09'),
  search('chair'),
  product(311),
  product('unknown'),
  search('shelf'),
  login('correct horse'),
  search('cup'),
  product(499),
  login(PASSWORD),
  report('2026-10'),
  search('rug'),
  product(0),
  product(123),
];

/** The day of one connection. Each connection starts at another hour: otherwise all would hash at the same time. */
export function trafficOf(connection: number, connections: number): SentRequest[] {
  const start = Math.floor((connection * DAY.length) / connections) % DAY.length;
  return [...DAY.slice(start), ...DAY.slice(0, start)];
}
