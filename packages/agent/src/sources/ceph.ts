import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import {
  type CephDaemon,
  type CephIngestion,
  daemonsAt,
  ingestCephByTell,
  ingestCephDaemons,
} from '@hdrscope/ceph';
import { AXIS_UNITS } from '@hdrscope/core/joint';
import * as z from '#zod';
import { duration, mapping, oneOf, text, yesOrNo } from '../config/values.ts';
import { MemoryKind } from '../memory.ts';
import { defineSource, entry, noKernelMaps, type SourcePart } from '../part.ts';
import { attributes, dropAttributes, since } from './shared.ts';

/** What is known of the daemons, by the name of the source that reads them. */
export const CEPH_DAEMONS: MemoryKind<CephIngestion> = new MemoryKind();

const schema = entry('ceph', 'Daemons of Ceph, or other programs that serve such sockets.', {
  socket: text('the path of an admin socket, or of a folder of them')
    .optional()
    .describe('The path of an admin socket, or of a folder of them. Sockets of a folder may come and go.'),
  tell: text('the name of daemons, such as osd.*')
    .optional()
    .describe('The daemons that "ceph tell" asks, such as osd.*, instead of a socket.'),
  program: text('the name or path of the ceph program')
    .default('ceph')
    .describe('The name or path of the ceph program, for "tell".'),
  timeout: duration.prefault('5s').describe('How long a daemon has for its answers. With "tell", a minute.'),
  since,
  units: z
    // Bounded: axes have a handful of units.
    .record(z.string(), oneOf(...AXIS_UNITS), { error: 'must be a mapping of axes to units' })
    .prefault({})
    .describe('Units of axes by their names, for axes whose dumps do not state them.'),
  classes: mapping({
    axis: text('the name of an axis').describe('The name of the axis.'),
    bounds: z
      .array(z.number({ error: 'must be a number' }), { error: 'must be a list of numbers' })
      .describe('The bounds between its ranges.'),
  })
    .optional()
    .describe('The axis whose ranges become an attribute. Default: all values together.'),
  merged: yesOrNo(false).describe('Whether there are families of all daemons together, too.'),
  attributes,
  dropAttributes,
}).check(({ value, issues }) => {
  if ((value.socket === undefined) !== (value.tell === undefined)) return;
  const message =
    value.socket === undefined
      ? 'must be the path of an admin socket or of a folder of them, unless tell names daemons'
      : 'must not be set with tell, which asks by the ceph program';
  issues.push({ code: 'custom', message, path: ['socket'], input: value.socket });
});

/** Daemons of Ceph: one, those whose sockets are in a folder, or those that `ceph tell` reaches. Every gather asks them. */
export const ceph: SourcePart = defineSource({
  schema,
  example: `
# Daemons of Ceph: those of all sockets in a folder, or of one socket. On a machine
# without the sockets, "tell: osd.*" asks all OSDs of the cluster by the ceph program.
- name: osds
  type: ceph
  socket: /var/run/ceph
  merged: true        # all daemons together, too
`,
  origin({ socket, tell }) {
    return socket === undefined
      ? { key: 'tell', what: 'cluster', id: tell ?? '' }
      : { key: 'socket', what: 'socket', id: resolve(socket) };
  },
  async start(config, context) {
    const { name, socket, tell, program, timeout, units, classes, merged, attributes, since } = config;
    const options = {
      ...context.intake(`ceph ${socket ?? `tell ${tell}`}`),
      since,
      units,
      attributes,
      merged,
      ...(classes !== undefined && { classes }),
    };
    const ceph =
      socket === undefined
        ? ingestCephByTell(context.registry, { ...options, target: tell!, program })
        : // A gather waits a little longer than the request, so the error of the request is the one that is reported.
          ingestCephDaemons(context.registry, () => listDaemons(socket, timeout), {
            ...options,
            timeoutMs: timeout + 1000,
          });
    context.memory.of(CEPH_DAEMONS).set(name, ceph);
    return {
      kernelMaps: noKernelMaps,
      note: socket ?? `${program} tell ${tell}`,
      async stop() {
        context.memory.of(CEPH_DAEMONS).delete(name);
        await ceph.close();
      },
    };
  },
});

/** @throws Error when a folder has no sockets. */
async function listDaemons(socket: string, timeoutMs: number): Promise<CephDaemon[]> {
  const isFolder = (await stat(socket).catch(() => undefined))?.isDirectory() === true;
  const daemons = await daemonsAt(socket, { timeoutMs });
  if (daemons.length === 0)
    throw new Error(`${socket} has no sockets: none of its files is a socket whose name ends in .asok`);
  // The attributes of the source name an only daemon.
  return isFolder ? daemons : daemons.map(({ ask, life }) => ({ ask, ...(life && { life }) }));
}
