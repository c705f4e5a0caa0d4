import { constants } from 'node:fs';
import { access, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Rounds } from '@hdrscope/kit';
import { daemonFamilies } from '../ceph-answers.ts';
import { duration, text } from '../config/values.ts';
import { healthFamilies } from '../health.ts';
import { defineSink, entry, type SinkPart } from '../part.ts';
import { CEPH_DAEMONS } from '../sources/ceph.ts';
import { translationStrategy } from './names.ts';

/** A source that hangs must not hold up the file for longer. */
const LONGEST_GATHER_MS = 10_000;

/** How many files this process has begun: parts of two files have different names. */
let files = 0;

/** Keeps the registry in a text file of Prometheus, for the textfile collector of node_exporter: no port of its own is open. */
export const textfile: SinkPart = defineSink({
  schema: entry('textfile', 'The registry in a file that node_exporter reads.', {
    path: text('the path of a file that ends in .prom')
      .endsWith('.prom', {
        error: 'must be the path of a file that ends in .prom: node_exporter reads no other',
      })
      .describe(
        'The path of the file, which ends in .prom. Its folder is that of --collector.textfile.directory.',
      ),
    interval: duration.prefault('15s').describe('The time between two states of the file.'),
    translationStrategy,
  }),
  example: `
# A file for node_exporter: --collector.textfile.directory=/var/lib/node_exporter
- type: textfile
  path: /var/lib/node_exporter/hdrscope.prom
`,
  async start({ path, interval, translationStrategy }, context) {
    const { convertSnapshot, render } = await import('@hdrscope/prometheus');
    const folder = dirname(path);
    await access(folder, constants.W_OK);
    const partial = join(folder, `.${basename(path)}.${process.pid}.${++files}`);
    const write = async (): Promise<void> => {
      const timeoutMs = Math.min(interval, LONGEST_GATHER_MS);
      const families = convertSnapshot(await context.registry.gather({ timeoutMs }), {
        translationStrategy,
        warn: (message) => context.info(message),
      });
      try {
        const own = [...healthFamilies(context), ...daemonFamilies(context.memory.of(CEPH_DAEMONS).values())];
        await writeFile(partial, render([...families, ...own], 'text'));
        // In one step, so that nobody reads half a file.
        await rename(partial, path);
      } catch (error) {
        await rm(partial, { force: true }).catch(() => {});
        throw error;
      }
      context.succeeded();
    };
    const rounds = new Rounds<void>();
    const writeSoon = (): void => rounds.tick(() => write().catch(context.failed));
    writeSoon();
    const timer = setInterval(writeSoon, interval).unref();
    return {
      note: path,
      async stop() {
        clearInterval(timer);
        await rounds.idle();
        await write();
      },
    };
  },
});
