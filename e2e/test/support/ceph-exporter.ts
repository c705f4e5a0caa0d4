import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  type ImportedCounterDescription,
  type ImportedCounters,
  parseCounterSchema,
  parseCounters,
} from '@hdrscope/ceph';
import { programOf } from '@hdrscope/testing';
import { createFolder, freePort, startPeer, waitFor } from './peer-process.ts';

/** The series of a page: `name{labels}` with sorted labels, and the value as text. */
export type ExporterSeries = ReadonlyMap<string, string>;

/** A running `ceph-exporter`. */
export interface CephExporter {
  /** The page that it shows after `isReady`. */
  page(isReady: (text: string) => boolean): Promise<string>;
}

/**
 * Starts the `ceph-exporter` of Tentacle on a folder of sockets. It asks every daemon each second, and needs no cluster.
 */
export async function startCephExporter(
  sockets: string,
  limits: { readonly deadlineSeconds?: number } = {},
): Promise<CephExporter> {
  const folder = await createFolder();
  const port = await freePort();
  const config = join(folder, 'ceph.conf');
  await writeFile(
    config,
    '[global]\nlog file =\nlog to stderr = true\nerr to stderr = true\nno mon config = true\n',
  );
  const fetchPage = async (): Promise<string> => {
    try {
      return await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    } catch {
      return '';
    }
  };
  const options = [
    '-f',
    '--conf',
    config,
    '--no-mon-config',
    '-n',
    'client.ceph-exporter',
    '--sock-dir',
    sockets,
  ];
  const address = ['--addrs', '127.0.0.1', '--port', `${port}`, '--prio-limit', '0', '--stats-period', '1'];
  await startPeer(join(dirname(programOf('ceph-tentacle')), 'ceph-exporter'), [...options, ...address], {
    ...{ folder, ...limits },
    isReady: async () => (await fetchPage()) !== '',
  });
  return {
    page: (isReady) =>
      waitFor(
        async () => {
          const text = await fetchPage();
          return isReady(text) ? text : undefined;
        },
        { what: 'the page of ceph-exporter' },
      ),
  };
}

/** The series of one daemon on a page, without those that describe the exporter and its reach. */
export function seriesOf(page: string, daemon: string): ExporterSeries {
  const lines = [...page.matchAll(/^([a-zA-Z_:][\w:]*)\{(.*)\} (\S+)$/gm)];
  return new Map(
    lines
      .filter(
        ([, name, labels]) =>
          labels!.includes(`ceph_daemon="${daemon}"`) && !/^ceph_(exporter|daemon_socket)_/.test(name!),
      )
      .map(([, name, labels, value]) => [`${name}{${labels}}`, value!]),
  );
}

/**
 * The series that `ceph-exporter` makes of a daemon's answers to `counter dump` and `counter schema`. It compares entries by their
 * places, shows fractions with six digits, and leaves out integers of 2^63 and more.
 */
export function expectedSeries(
  dump: string,
  schema: string,
  daemon: string,
  isWanted: (described: ImportedCounterDescription) => boolean = () => true,
): ExporterSeries {
  const values = parseCounters(dump);
  const found = new Map<string, string>();
  for (const described of parseCounterSchema(schema).filter(isWanted)) {
    const entry = values.find((one) => isOf(one, described))!;
    const value = entry.counters.get(described.counter)!;
    const labels = Object.entries({ ...described.labels, ceph_daemon: daemon })
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, text]) => `${name}="${text}"`)
      .join(',');
    const name = prometheusName(`${described.logger}_${described.counter}`);
    const isReal = (described.type & TIME) !== 0;
    const add = (suffix: string, number: number | bigint, real: boolean): void => {
      if (!real && BigInt(number) >= 2n ** 63n) return;
      found.set(`${name}${suffix}{${labels}}`, real ? Number(number).toFixed(6) : String(number));
    };
    if (typeof value !== 'object') add('', value, isReal);
    else {
      add('_count', value.count, false);
      add('_sum', value.sum, isReal);
    }
  }
  return found;
}

const TIME = 1;

function isOf(counters: ImportedCounters, described: ImportedCounterDescription): boolean {
  return (
    counters.logger === described.logger &&
    JSON.stringify(counters.labels) === JSON.stringify(described.labels)
  );
}

function prometheusName(name: string): string {
  const ended = name.endsWith('-') ? `${name.slice(0, -1)}_minus` : name;
  return `ceph_${ended
    .replace(/[./ -]/g, '_')
    .replaceAll('::', '_')
    .replaceAll('+', '_plus')}`;
}
