import { ingestKernel, type KernelIngestion, type KernelLayout } from '@hdrscope/ebpf';
import { type HostMap, HostMaps, hasSameSlots, kernelMetricName } from '@hdrscope/ebpf/internal';
import { reasonOf, wildcard } from '@hdrscope/kit';
import * as z from '#zod';
import { duration, text } from '../config/values.ts';
import { defineSource, entry, noKernelMaps, noteOnce, type SourcePart } from '../part.ts';
import { attributes, combineObservers, dropAttributes, perCpu, readTimeout, since } from './shared.ts';

const names = (description: string) =>
  z.array(text('the name of a map'), { error: 'must be a list of names of maps' }).describe(description);

const schema = entry(
  'ebpf-maps',
  'All maps of this machine that show which values they count, and that no other source reads.',
  {
    allow: names(
      'The names of the maps that are read; * stands for any characters. Default: all maps that show their layout.',
    ).default(['*']),
    deny: names('The names of maps that are not read. Default: none.').default([]),
    refresh: duration.prefault('10s').describe('How often maps that have come or gone are looked for.'),
    perCpu,
    since,
    timeout: readTimeout,
    attributes,
    dropAttributes,
  },
);

/** A map whose counts are added. */
interface CountedMap {
  readonly map: HostMap;
  readonly family: string;
  readonly layout: KernelLayout;
  readonly programs: string;
  readonly ingestion: KernelIngestion;
}

/**
 * All maps of this machine that show their layouts: a family for each name, with the programs of the map as an attribute.
 *
 * @param open Makes the look-out for maps. Tests replace it.
 */
export function createEbpfMaps(open: () => Pick<HostMaps, 'look'> = () => new HostMaps()): SourcePart {
  return defineSource({
    schema,
    example: `
# All maps of this machine whose layouts are known, as "hdrscope ebpf list" shows them.
- name: kernel
  type: ebpf-maps
`,
    // A process looks at one machine.
    origin: () => ({ key: 'type', what: 'maps of this machine', id: '' }),
    async start(config, context) {
      const { perCpu, attributes, timeout, refresh } = config;
      const [allowed, denied] = [config.allow, config.deny].map((all) => all.map((one) => wildcard(one)));
      const isWanted = ({ name }: HostMap): boolean =>
        allowed!.some((pattern) => pattern.test(name)) && !denied!.some((pattern) => pattern.test(name));
      const host = open();
      const observers = combineObservers();
      const counted = new Map<number, CountedMap>();
      /** Maps that another source reads. */
      const left = new Map<number, HostMap>();
      const stopping = new AbortController();

      const add = (map: HostMap, since: 'beginning' | 'now'): void => {
        const { id, layout, source } = map;
        const { observer = {}, ...options } = context.intake(`ebpf-maps map ${id}`);
        const place = findPlace(map, [...counted.values()]);
        // The map stays open when another source takes it.
        const read = { name: source.name, read: () => source.read(), close() {} };
        const ingestion = ingestKernel(context.registry, read, {
          ...options,
          ...{ name: place.family, perCpu, since, timeoutMs: timeout },
          attributes: { ...place.attributes, ...attributes },
          observer: observers.of(String(id), observer),
        });
        counted.set(id, { map, family: place.family, layout, programs: map.programs.join(), ingestion });
      };
      const remove = async (id: number): Promise<void> => {
        observers.forget(String(id));
        await counted.get(id)?.ingestion.close();
        counted.delete(id);
      };
      const leave = (map: HostMap, name: string, counted = ''): void => {
        left.set(map.id, map);
        noteOnce(
          `the map ${map.name} (${map.id}) is left to the source ${name}, which reads it${counted}`,
          context,
        );
      };
      const look = async (): Promise<void> => {
        const { came, gone, incomplete } = await host.look({ signal: stopping.signal });
        const others = await context.mapsOfOthers();
        for (const { id, source } of gone) {
          await remove(id);
          left.delete(id);
          await source.close();
        }
        for (const map of came) {
          const other = others.get(map.id);
          if (!isWanted(map)) await map.source.close();
          else if (other === undefined) add(map, config.since);
          else leave(map, other);
        }
        // Another source may have begun to read a map, or have ended.
        for (const [id, { map }] of counted) {
          const other = others.get(id);
          if (other === undefined) continue;
          await remove(id);
          leave(map, other, `; what was counted before stays, and ${other} may count it again`);
        }
        for (const [id, map] of left) {
          if (others.has(id)) continue;
          left.delete(id);
          // The other source has counted what was there.
          add(map, 'now');
        }
        // A map that could not be read may have been the last one.
        if (counted.size === 0) context.succeeded();
        if (incomplete !== undefined) noteOnce(`only pinned maps are read: ${reasonOf(incomplete)}`, context);
      };

      await look();
      let looking: Promise<void> = Promise.resolve();
      const timer = setInterval(() => {
        looking = looking.then(look).catch((error) => {
          if (!stopping.signal.aborted) context.failed(error);
        });
      }, refresh).unref();
      return {
        note: [
          `${counted.size} ${counted.size === 1 ? 'map' : 'maps'} of this machine`,
          ...(left.size > 0 ? [`${left.size} left to other sources`] : []),
        ].join(', '),
        // It is there once, and leaves the maps of others out.
        kernelMaps: noKernelMaps,
        async stop() {
          clearInterval(timer);
          stopping.abort();
          await looking;
          const maps = [...[...counted.values()].map(({ map }) => map), ...left.values()];
          await Promise.all([...counted.keys()].map(remove));
          await Promise.all(maps.map(({ source }) => source.close()));
        },
      };
    },
  });
}

export const ebpfMaps: SourcePart = createEbpfMaps();

/**
 * The family of a map and the attributes of its series. Maps of one name and layout share a family. A map of another layout has a family
 * with the name of its programs, or with its id. No two maps that are there at once share series.
 */
function findPlace(
  { id, name, programs, layout }: HostMap,
  others: readonly CountedMap[],
): { readonly family: string; readonly attributes: Readonly<Record<string, string>> } {
  const isFree = (family: string): boolean =>
    others.every((other) => other.family !== family || hasSameSlots(other.layout, layout));
  const own = name === '' ? `map_${id}` : kernelMetricName(name, 'none');
  const named = programs.length === 0 ? [] : [`${own}_${programs.join('_')}`];
  const family = [own, ...named].find(isFree) ?? `${own}_${id}`;
  const program = programs.join();
  const isTwin = others.some((other) => other.family === family && other.programs === program);
  return {
    family,
    attributes: { ...(program !== '' && { program }), ...(isTwin && { map: String(id) }) },
  };
}
