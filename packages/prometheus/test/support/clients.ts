import { join } from 'node:path';
import { describeWithPeers, isInstalled, programOf } from '@hdrscope/testing';
import client from 'prom-client';

type Client = typeof client;

/** `prom-client` and its successor: how to describe tests with each, and its module. The types of one stand for both. */
export const CLIENTS: readonly (readonly [
  name: string,
  describeIt: (title: string, tests: () => void) => void,
  client: Client,
])[] = [
  ['prom-client', describe, client],
  ['@prometheus-io/client', describeWithPeers(['prometheus-client']), await successor()],
];

/** Where it is not installed, its tests are skipped. */
async function successor(): Promise<Client> {
  if (!isInstalled('prometheus-client')) return client;
  const { default: loaded } = await import(
    join(programOf('prometheus-client'), '@prometheus-io/client/index.js')
  );
  return loaded;
}
