import { HdrscopeError } from '@hdrscope/core';
import { framesSource, type listMaps, queueDepthLayout } from '../src/index.ts';
import { HostMaps, type HostMapsAccess, type VisibleMap } from '../src/internal.ts';

const KNOWN: VisibleMap['known'] = { layout: queueDepthLayout(), shape: {}, ground: 'its program' };

function mapOf(id: number, isKnown = true): VisibleMap {
  const known = isKnown ? KNOWN : undefined;
  return {
    ...{ id, type: 'array', name: `map_${id}`, programs: [], pins: [], guesses: [], known, why: '' },
    ...{ keySize: 4, valueSize: 8, maxEntries: 8 },
  };
}

/** A machine whose maps a test changes. */
function machine(maps: VisibleMap[]): { host: HostMaps; maps: VisibleMap[]; lists(): number; hide(): void } {
  let lists = 0;
  let isHidden = false;
  const access: HostMapsAccess = {
    ids: async () => (isHidden ? undefined : maps.map(({ id }) => id)),
    list: async (): ReturnType<typeof listMaps> => {
      lists++;
      return { maps: [...maps], incomplete: undefined };
    },
    open: ({ known: _, ...place }) => framesSource([], { name: JSON.stringify(place) }),
  };
  const hide = (): void => {
    isHidden = true;
  };
  return { host: new HostMaps(access), maps, lists: () => lists, hide };
}

async function look(host: HostMaps): Promise<{ came: number[]; gone: number[] }> {
  const { came, gone } = await host.look();
  return { came: came.map(({ id }) => id), gone: gone.map(({ id }) => id) };
}

test('a look returns the maps with a known layout that have come and gone', async () => {
  const { host, maps } = machine([mapOf(1), mapOf(2, false)]);
  expect(await look(host)).toEqual({ came: [1], gone: [] });
  maps.push(mapOf(3));
  expect(await look(host)).toEqual({ came: [3], gone: [] });
  maps.shift();
  expect(await look(host)).toEqual({ came: [], gone: [1] });
  expect(await look(host)).toEqual({ came: [], gone: [] });
});

test('lists no maps while none is new', async () => {
  const { host, maps, lists } = machine([mapOf(1)]);
  for (let i = 0; i < 5; i++) await look(host);
  expect(lists()).toBe(2);
  maps.pop();
  await look(host);
  expect(lists()).toBeLessThanOrEqual(3);
});

test('finds the layout of a map whose program came after the map was listed', async () => {
  const { host, maps } = machine([mapOf(1)]);
  await look(host);
  await look(host);
  maps.push(mapOf(2, false));
  expect(await look(host)).toEqual({ came: [], gone: [] });
  maps[1] = mapOf(2);
  expect(await look(host)).toEqual({ came: [2], gone: [] });
});

test('lists maps each time where this user may not look through ids', async () => {
  const { host, maps, hide } = machine([mapOf(1)]);
  hide();
  for (let i = 0; i < 3; i++) await look(host);
  maps[0] = mapOf(7);
  expect(await look(host)).toEqual({ came: [7], gone: [1] });
});

test('a map that has gone since the last look has no histograms, and one that breaks a law fails', async () => {
  const failing = (errno: string): HdrscopeError =>
    new HdrscopeError('ERR_KERNEL', 'no', { details: { errno } });
  const sources = [framesSource([failing('ENOENT')]), framesSource([failing('EPERM')])];
  const maps = [mapOf(1), mapOf(2)];
  const host = new HostMaps({
    ids: async () => [1, 2],
    list: async () => ({ maps, incomplete: undefined }),
    open: () => sources.shift()!,
  });
  const { came } = await host.look();
  expect(await came[0]!.source.read()).toMatchObject({ generation: 'map 1', histograms: [] });
  await expect(came[1]!.source.read()).rejects.toThrow('no');
});

test('opens a map at its pin, which takes fewer rights than its id', async () => {
  const { host } = machine([mapOf(1), { ...mapOf(2), pins: ['/bpf/two', '/bpf/again'] }]);
  const { came } = await host.look();
  expect(came.map(({ source }) => source.name)).toEqual(['{"id":1}', '{"path":"/bpf/two"}']);
});
