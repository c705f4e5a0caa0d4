import { type CephRelease, serveAdminSocket } from '@hdrscope/ceph';
import { Option } from 'commander';
import { createParser, readArguments } from '../arguments.ts';
import { ExitCode, type Io } from '../command.ts';
import { untilAborted } from '../until-aborted.ts';
import { startDemo } from './demo.ts';

interface Options {
  readonly socket: string;
  readonly release: CephRelease;
}

const RELEASES: readonly CephRelease[] = ['pacific', 'quincy', 'reef', 'squid', 'tentacle', 'next'];

const DESCRIPTION = `Serves histograms of this process on an admin socket, as a daemon of Ceph does, until Ctrl-C:
something to try the ceph command and this one with, where there is no cluster.

What is counted is real: how long it takes to read blocks of a file, and to hash them. Only this user
can connect.`;

/** `hdrscope ceph serve` */
export async function run(args: readonly string[], io: Io): Promise<number> {
  const parser = createParser('hdrscope ceph serve', DESCRIPTION, [
    'hdrscope ceph serve --socket ./demo.asok',
  ])
    .allowExcessArguments(false)
    .requiredOption('--socket <path>', 'where it listens: at most 107 bytes, and no file yet')
    .addOption(
      new Option('--release <name>', 'whose dumps it gives; next is proposed, and in no release')
        .choices(RELEASES)
        .default('tentacle'),
    );
  const given = await readArguments<Options>(parser, args, io);
  if (given === undefined) return ExitCode.done;
  const { socket: path, release } = given.options;
  const demo = await startDemo(release);
  try {
    const server = await serveAdminSocket({ path, ...demo.replies });
    try {
      // ceph takes a word without a slash for the name of a daemon.
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
