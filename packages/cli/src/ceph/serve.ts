import { CEPH_RELEASES, type CephRelease, serveAdminSocket } from '@hdrscope/ceph';
import type { Command } from 'commander';
import { type Arguments, choiceOption, createParser } from '../arguments.ts';
import { ExitCode, type Io } from '../command.ts';
import { untilAborted } from '../until-aborted.ts';
import { startDemo } from './demo.ts';

interface Options {
  readonly socket: string;
  readonly release: CephRelease;
}

const DESCRIPTION = `Serves histograms of this process on an admin socket, as a daemon of Ceph does, until Ctrl-C. Try the
ceph command and this one with it when there is no cluster.

The histograms are real: times of reading blocks of a file and of hashing them. Only this user can
connect.`;

/** The arguments of `hdrscope ceph serve`. */
export function parser(): Command {
  return createParser('hdrscope ceph serve', DESCRIPTION, ['hdrscope ceph serve --socket ./demo.asok'])
    .allowExcessArguments(false)
    .requiredOption('--socket <path>', 'the path of the socket: at most 107 bytes, and unused')
    .addOption(
      choiceOption(
        '--release <name>',
        'the release of Ceph whose dumps it sends; next is a proposal',
        CEPH_RELEASES,
      ).default('tentacle'),
    );
}

/** `hdrscope ceph serve` */
export async function run(
  { options: { socket: path, release } }: Arguments<Options>,
  io: Io,
): Promise<number> {
  const demo = await startDemo(release);
  try {
    const server = await serveAdminSocket({ path, ...demo.replies });
    try {
      // The ceph command reads a word without a slash as the name of a daemon.
      const named = path.includes('/') ? path : `./${path}`;
      await io.stdout.write(`serving ${path}. In another terminal:
  hdrscope ceph dump ${path}
  hdrscope ceph heatmap ${path} --interval 5s
  ceph --admin-daemon ${named} perf histogram dump
  ceph --admin-daemon ${named} help
`);
      await untilAborted(io.signal);
      return ExitCode.done;
    } finally {
      await server.close();
    }
  } finally {
    await demo.stop();
  }
}
