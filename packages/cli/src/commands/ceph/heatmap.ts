import { dumpIncrease } from '@hdrscope/ceph';
import { countValues } from '@hdrscope/ceph/internal';
import { formatDecimal } from '@hdrscope/core/internal';
import { valuesText } from '@hdrscope/kit';
import { plotToJson } from '@hdrscope/plot';
import { type Io, UsageError } from '../../command.ts';
import { defineCommand, defineOptions, type OptionsOf } from '../../define-command.ts';
import { ASCII, intervalOption, intervalsOption } from '../../options.ts';
import { plotOnScreen } from '../../screen/terminal-plot.ts';
import { chooseCounter, membersOf, merged, perfPlot } from './counter-plot.ts';
import {
  assertSockets,
  assertSome,
  CEPH_INPUTS,
  type CephInput,
  followInputs,
  HISTOGRAM_OPTIONS,
  noteWriter,
  openInputs,
  readHistograms,
  type Sourced,
  titleOf,
} from './histograms.ts';

const DESCRIPTION = `Draws two axes of a histogram: a shade for each cell, with a legend. A histogram of one axis is drawn
as bars.

Without --counter it draws the counter with the most values. It adds up daemons, which must have equal
axes. Without --interval and --earlier it draws all values since the daemons began.`;

const OPTIONS = defineOptions({
  interval: intervalOption('only values of an interval of that length, from now on'),
  intervals: intervalsOption('how many intervals, each with a picture', '1'),
  earlier: { value: '<file>', help: 'only values since that earlier dump' },
  each: { help: 'draws each daemon separately' },
  x: { value: '<axis>', help: 'the axis from left to right: its name, or a part of it' },
  y: { value: '<axis>', help: 'the axis from bottom to top' },
  ...HISTOGRAM_OPTIONS,
  ...ASCII,
});

type Options = OptionsOf<typeof OPTIONS> & { readonly format: 'text' | 'json' };

export const command = defineCommand({
  path: 'hdrscope ceph heatmap',
  description: DESCRIPTION,
  examples: [
    'hdrscope ceph heatmap /var/run/ceph/ceph-osd.*.asok --interval 5s',
    'hdrscope ceph heatmap later.json --earlier earlier.json --counter op_w_latency_in_bytes_histogram',
    'hdrscope ceph heatmap dump.json --x latency --y size --json',
  ],
  operands: CEPH_INPUTS,
  options: OPTIONS,
  formats: ['text', 'json'],
  formatNotes: 'json is a line for each picture, which hdrscope plot draws',
  output: 'when done',
  async run({ options, operands, format }, io) {
    const { interval, intervals, earlier } = options;
    if (interval === undefined && intervals !== undefined)
      throw new UsageError('--intervals needs --interval');
    if (interval !== undefined && earlier !== undefined) {
      throw new UsageError(
        '--interval and --earlier cannot be combined: one draws new values, the other draws past ones',
      );
    }
    const inputs = await openInputs(operands, io);
    if (interval !== undefined) await drawIntervals(inputs, { ...options, format, interval }, io);
    else await drawOnce(inputs, { ...options, format }, io);
  },
});

async function drawOnce(inputs: readonly CephInput[], options: Options, io: Io): Promise<void> {
  const all = (await Promise.all(inputs.map((input) => readHistograms(input, options)))).flat();
  assertSome(all, inputs, options);
  const shown =
    options.earlier === undefined ? all : await sinceFile(all, inputs, options.earlier, options, io);
  const { members } = await chooseCounter(shown, io);
  await noteWriter(io)(members);
  const when = options.earlier === undefined ? 'since the daemon began' : `since ${options.earlier}`;
  await draw(members, () => when, options, io);
}

async function sinceFile(
  later: readonly Sourced[],
  inputs: readonly CephInput[],
  path: string,
  options: Options,
  io: Io,
): Promise<readonly Sourced[]> {
  // The dump of one daemon does not name it, so dumps of several daemons could not be matched.
  if (inputs.length > 1)
    throw new UsageError(
      '--earlier compares two dumps: give one operand, and the earlier dump after --earlier',
    );
  const [input] = await openInputs([path], io);
  const earlier = await readHistograms(input!, options);
  const increases = dumpIncrease(earlier, later);
  for (const [i, { isReset }] of increases.entries()) {
    if (!isReset) continue;
    const title = titleOf(later[i]!, false);
    await io.stderr.write(
      `hdrscope: ${title}: the daemon began anew in between, so all its counts are shown\n`,
    );
  }
  return increases.map((one, i) => ({ ...one, source: later[i]!.source }));
}

async function drawIntervals(
  inputs: readonly CephInput[],
  options: Options & { readonly interval: number },
  io: Io,
): Promise<void> {
  assertSockets(inputs, '--interval');
  let name: string | undefined;
  for await (const increases of followInputs(inputs, { ...options, intervals: options.intervals ?? 1 }, io)) {
    // The counter is chosen once, as only pictures of one counter can be compared.
    if (name === undefined && increases.length > 0) ({ name } = await chooseCounter(increases, io));
    const members = name === undefined ? [] : membersOf(increases, name);
    const secondsOf = new Map<Sourced, number>(members.map((one) => [one, one.seconds]));
    await draw(members, (first) => `in ${formatDecimal(secondsOf.get(first)!, 1)} s`, options, io);
  }
}

/** Draws a counter of some daemons: together, or with `each` separately. */
async function draw(
  members: readonly Sourced[],
  whenOf: (first: Sourced) => string,
  options: Options,
  io: Io,
): Promise<void> {
  const { each = false, x, y, format } = options;
  const axes = { ...(x !== undefined && { x }), ...(y !== undefined && { y }) };
  const groups = each ? members.map((one) => [one]) : members.length === 0 ? [] : [members];
  for (const [at, group] of groups.entries()) {
    const [first, ...others] = group as [Sourced, ...Sourced[]];
    const histogram = merged([first, ...others]);
    const count = valuesText(countValues({ histogram }));
    const plot = perfPlot(histogram, axes, {
      title: `${titleOf(first, false)} of ${sourcesText(group)}`,
      subtitle: `${count} ${whenOf(first)}`,
    });
    const space = at === 0 ? '' : '\n';
    await io.stdout.write(
      format === 'json' ? `${plotToJson(plot)}\n` : `${space}${plotOnScreen(plot, io, options)}`,
    );
  }
}

const MOST_NAMES = 6;

function sourcesText(group: readonly Sourced[]): string {
  const names = group.map(({ source }) => source);
  return names.length > MOST_NAMES ? `${names.length} daemons` : names.join(', ');
}
