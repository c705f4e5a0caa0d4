import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type CephDaemon, daemonsAt, type ImportedHistogram, ingestCephDaemons } from '@hdrscope/ceph';
import { AXIS_UNITS } from '@hdrscope/core/joint';
import * as z from '#zod';
import { duration, mapping, oneOf, text, yesOrNo } from '../config/values.ts';
import { MemoryKind } from '../memory.ts';
import { defineSource, entry, type SourcePart } from '../part.ts';
import { attributes, dropAttributes, since } from './shared.ts';

/** Returns the last histograms of the daemons, by the name of the source that reads them. */
export const PERF_HISTOGRAMS: MemoryKind<() => readonly ImportedHistogram[]> = new MemoryKind();

/** Daemons of Ceph: one, or those whose sockets are in a folder. Every gather asks them. */
export const ceph: SourcePart = defineSource({
  schema: entry('ceph', 'Daemons of Ceph, or other programs that serve such sockets.', {
    socket: text('the path of an admin socket, or of a folder of them').describe(
      'The path of an admin socket, or of a folder of them. Sockets of a folder may come and go.',
    ),
    timeout: duration.prefault('5s').describe('How long a daemon has for its answers.'),
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
  }),
  example: `
# Daemons of Ceph: those of all sockets in a folder, or of one socket.
- name: osds
  type: ceph
  socket: /var/run/ceph
  merged: true        # all daemons together, too
`,
  origin: ({ socket }) => ({ key: 'socket', what: 'socket', id: resolve(socket) }),
  async start(config, context) {
    const { name, socket, timeout, units, classes, merged, attributes, since } = config;
    // The attributes of the source name an only daemon.
    const list = async (): Promise<CephDaemon[]> => {
      const isFolder = (await stat(socket).catch(() => undefined))?.isDirectory() === true;
      const daemons = await daemonsAt(socket, { timeoutMs: timeout });
      if (daemons.length === 0)
        throw new Error(`${socket} has no sockets: none of its files is a socket whose name ends in .asok`);
      return isFolder ? daemons : daemons.map(({ ask, life }) => ({ ask, ...(life && { life }) }));
    };
    const ceph = ingestCephDaemons(context.registry, list, {
      ...context.intake(`ceph ${socket}`),
      since,
      units,
      attributes,
      merged,
      // A gather waits a little longer than the request, so the error of the request is the one that is reported.
      timeoutMs: timeout + 1000,
      ...(classes !== undefined && { classes }),
    });
    context.memory.of(PERF_HISTOGRAMS).set(name, () => ceph.latest);
    return {
      note: socket,
      async stop() {
        context.memory.of(PERF_HISTOGRAMS).delete(name);
        await ceph.close();
      },
    };
  },
});
