import { keyOf } from './question.ts';

/**
 * Whether nobody looks for the changes of a series in an incident: it is of hdrscope itself, such as `hdrscope.agent.gather.duration`, or counts
 * requests that export telemetry: as a client, to one of these addresses.
 */
export function isOwnSeries(
  name: string,
  attributes: readonly string[],
  exporterAddresses: readonly string[],
): boolean {
  if (/^hdrscope[._]/.test(name)) return true;
  if (exporterAddresses.length === 0 || !/^(http|rpc)\.client\./.test(name)) return false;
  const find = (key: string): string | undefined =>
    attributes.find((pair) => keyOf(pair) === key)?.slice(key.length + 1);
  const [address, port] = [find('server.address'), find('server.port')];
  return address !== undefined && port !== undefined && exporterAddresses.includes(`${address}:${port}`);
}
