import { join } from 'node:path';
import client from 'prom-client';
import { describeWithPeers } from './needs.ts';
import { isInstalled, programOf } from './peers.ts';

/** The module `prom-client`. Its types stand for those of its successor. */
export type PromClient = typeof client;

/** `prom-client` or its successor. */
export interface NamedClient {
  readonly name: string;
  /** Describes tests of the client. They are skipped where it is not installed. */
  readonly describeIt: (title: string, tests: () => void) => void;
  /** Where the successor is not installed, `prom-client` in its place. */
  readonly client: PromClient;
  /** A folder in which its modules are found; empty where it is not installed. */
  readonly modules: string;
}

const PEER = 'prometheus-client';
const SUCCESSOR = '@prometheus-io/client';

/** The official clients of Prometheus for Node.js: `prom-client`, and `@prometheus-io/client`, which succeeds it. */
export const PROM_CLIENTS: readonly NamedClient[] = [
  {
    name: 'prom-client',
    describeIt: describe,
    client,
    modules: join(import.meta.dirname, '../../../node_modules'),
  },
  {
    name: SUCCESSOR,
    describeIt: describeWithPeers([PEER]),
    client: isInstalled(PEER) ? await importSuccessor() : client,
    modules: isInstalled(PEER) ? programOf(PEER) : '',
  },
];

async function importSuccessor(): Promise<PromClient> {
  const { default: loaded } = await import(join(programOf(PEER), SUCCESSOR, 'index.js'));
  return loaded;
}
