import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { DoubleHistogram, Histogram } from '@hdrscope/core';
import { FORMAT_VERSION_LINE, formatInterval } from '@hdrscope/interval-log';
import type { TimePlot } from '@hdrscope/plot';
import { lackOfBuild, testUnless } from '@hdrscope/testing';
import { OSD_DUMP } from '@hdrscope/testing/osd';
import { hdrscope } from '../support/fake-io.ts';
import { logText, useFolder } from '../support/logs.ts';
import { dataOf, hgrmOf, LOG, SINGLE } from '../support/plots.ts';

const folder = useFolder();

test('shows its progress on a terminal for every form of input', async () => {
  const encoded = new Histogram();
  encoded.record(1);
  for (const text of [SINGLE, await hgrmOf(SINGLE), '1\n2\n', encoded.toBase64(), OSD_DUMP]) {
    let now = 0;
    const monotonicMs = (): number => (now += 1000);
    const path = folder.write('shown', text);
    const { stderr } = await hdrscope(['plot', path], { isTerminal: true, monotonicMs });
    expect(stderr).toContain('(100 %)');
  }
});

describe('the output', () => {
  test("the ending of the file's name chooses the format of a picture", async () => {
    expect((await drawTo('x.svg')).toString()).toMatch(/^<svg [\s\S]*Mine[\s\S]*<\/svg>\s*$/);
    expect((await drawTo('x.PNG')).subarray(1, 4).toString()).toBe('PNG');
  });

  // A page of HTML has a script that is built.
  testUnless(lackOfBuild('plot', 'dist/browser'))('the ending .html chooses a page', async () => {
    expect((await drawTo('x.html')).toString()).toMatch(/^<!doctype html>[\s\S]*Mine/i);
  });

  async function drawTo(name: string): Promise<Buffer> {
    const [path, file] = [folder.write('x.hlog', SINGLE), folder.pathOf(name)];
    expect(await hdrscope(['plot', path, '-o', file, '--title', 'Mine'])).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: '',
    });
    return readFileSync(file);
  }

  test('--width, --height and --theme set the size and the theme of a picture', async () => {
    const args = ['plot', '--format', 'svg', '--width', '500', '--height', '300', '--theme', 'dark', '-'];
    expect((await hdrscope(args, { stdin: SINGLE })).stdout).toMatch(/^<svg width="500" height="300"/);
  });

  test.each([
    ['plot', []],
    ['diff', ['--plot']],
    ['record', []],
    ['ceph heatmap', []],
  ])('%s draws in ASCII where the locale is not UTF-8', async (command, options) => {
    const path = folder.write(
      'values',
      command === 'ceph heatmap' ? OSD_DUMP : command === 'record' ? '1\n2\n' : SINGLE,
    );
    const paths = command === 'diff' ? [path, folder.write('other', SINGLE)] : [path];
    const args = [...command.split(' '), ...options, ...paths];
    const { stdout } = await hdrscope(args, { environment: { LC_ALL: 'C' } });
    expect(stdout).toMatch(/[-|#]/);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII has them.
    expect(stdout).toMatch(/^[\x00-\x7f]+$/);
    expect((await hdrscope(args)).stdout).toMatch(/[│█⠒▓]/);
  });

  test('text has the width of the terminal, and has colours on terminals only', async () => {
    const width = (text: string): number => Math.max(...text.split('\n').map((line) => line.length));
    const shown = await hdrscope(['plot', '-'], {
      stdin: SINGLE,
      isTerminal: true,
      environment: { NO_COLOR: '1' },
    });
    expect(width(shown.stdout)).toBe(120);
    expect(width((await hdrscope(['plot', '-'], { stdin: SINGLE })).stdout)).toBe(80);
    expect(width((await hdrscope(['plot', '-', '--width', '50'], { stdin: SINGLE })).stdout)).toBe(50);
    expect(shown.stdout).not.toContain('\u001b[');
    expect((await hdrscope(['plot', '-'], { stdin: SINGLE, isTerminal: true })).stdout).toContain(
      '\u001b[38;2;',
    );
    const file = folder.pathOf('plot.txt');
    await hdrscope(['plot', '-', '-o', file], { stdin: SINGLE, isTerminal: true });
    expect(readFileSync(file, 'utf8')).toBe((await hdrscope(['plot', '-'], { stdin: SINGLE })).stdout);
  });

  test.each([
    [['--width', '30'], '--width must be an integer from 40 to 1000 for text, got 30'],
    [['--height', '201'], '--height must be an integer from 4 to 200 for text, got 201'],
    [['--format', 'svg', '--width', '10'], '--width must be an integer from 200 to 8192 for svg, got 10'],
    [['--format', 'html', '--height', '300'], '--height goes with text, svg and png, and the format is html'],
    [['--theme', 'dark'], '--theme goes with svg and png, and the format is text'],
  ])('%j is a wrong command line', async (args, text) => {
    const { exitCode, stdout, stderr } = await hdrscope(['plot', '-', ...args], { stdin: SINGLE });
    expect([exitCode, stdout, stderr]).toEqual([2, '', `hdrscope: ${text}\n`]);
  });

  test('a file is complete or does not exist', async () => {
    const file = folder.pathOf('never.svg');
    const { exitCode } = await hdrscope(['plot', '-o', file, folder.pathOf('no-such-file.hlog')]);
    expect(exitCode).toBe(1);
    expect(existsSync(file)).toBe(false);
    expect(readdirSync(folder.pathOf('')).filter((name) => name.includes('unfinished'))).toEqual([]);
  });

  test.each([
    [
      ['-o', 'x.pdf'],
      'x.pdf has the ending of a format that hdrscope plot does not write: it writes text (.txt), svg (.svg)',
    ],
    [['--format', 'png'], 'a PNG picture needs a file'],
    [['--format', 'gif'], "--format must be text, svg, png, html, json, got 'gif'"],
    [['--unit', 'min'], '--unit must be'],
    [['--width', '0'], '--width must be an integer of at least 1'],
    [['--confidence', '1'], '--confidence must be above 0 and below 1'],
    [['-'], '- is standard input, which can be read only once'],
  ])('%j is refused', async (args, message) => {
    const { exitCode, stdout, stderr } = await hdrscope(['plot', '-', ...args], { stdin: SINGLE });
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
  });
});

describe('refusals', () => {
  test('a missing file is named', async () => {
    const missing = folder.pathOf('missing.hlog');
    const { exitCode, stderr } = await hdrscope(['plot', folder.write('there.hlog', SINGLE), missing]);
    expect([exitCode, stderr]).toEqual([1, `hdrscope: no such file: ${missing}\n`]);
  });

  test('malformed lines are left out and reported, and the rest is drawn', async () => {
    const { exitCode, stdout, stderr } = await hdrscope(['plot', '-'], {
      stdin: `${SINGLE}0,1,2,HISTnonsense\n`,
    });
    expect(exitCode).toBe(1);
    expect(stdout).toContain('1,000 values');
    expect(stderr).toContain('left out 1 malformed line');
  });

  test.each([
    ['no intervals', ''],
    ['no values', logText([{ at: 0, ms: [] }])],
  ])('a log with %s cannot be drawn', async (_, stdin) => {
    for (const kind of ['percentiles', 'over-time', 'heat-map', 'bars']) {
      const { exitCode, stdout, stderr } = await hdrscope(['plot', '-', '--kind', kind], { stdin });
      expect([kind, exitCode, stdout]).toEqual([kind, 1, '']);
      expect(stderr).toContain('there is nothing to draw');
    }
  });

  test('percentile text has no times', async () => {
    for (const kind of ['over-time', 'heat-map']) {
      const { exitCode, stderr } = await hdrscope(['plot', '-', '--kind', kind], {
        stdin: await hgrmOf(SINGLE),
      });
      expect([exitCode, stderr]).toEqual([
        1,
        'hdrscope: standard input is percentile text, which has no times: --kind over-time and heat-map take interval logs\n',
      ]);
    }
  });

  test('doubles are refused as a heat map, and drawn over time', async () => {
    const doubles = new DoubleHistogram();
    doubles.record(0.5);
    const stdin = FORMAT_VERSION_LINE + formatInterval(doubles, { startSec: 1, endSec: 2 });
    const map = await hdrscope(['plot', '-', '--kind', 'heat-map', '--unit', 's'], { stdin });
    expect([map.exitCode, map.stderr]).toEqual([
      1,
      'hdrscope: standard input has doubles, which a heat map cannot show; --kind over-time can\n',
    ]);
    const lines = await dataOf<TimePlot>(['-', '--kind', 'over-time', '--unit', 's'], { stdin });
    expect(lines.lines[0]!.values[0]).toBeCloseTo(0.5, 2);
  });

  test('JSON of another program is refused', async () => {
    const { exitCode, stderr } = await hdrscope(['plot', '-'], { stdin: '{"a":1}' });
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^hdrscope: standard input/);
  });

  test('a dump is refused as a kind that needs times or every value', async () => {
    const { exitCode, stderr } = await hdrscope(['plot', '--kind', 'over-time', '-'], { stdin: OSD_DUMP });
    expect(exitCode).toBe(1);
    expect(stderr).toContain(
      'hdrscope: standard input can be drawn with --kind heat-map or percentiles only, got over-time\n',
    );
  });

  test.each(['percentiles', 'bars'])(
    'a heat map whose vertical axis has times is refused as %s, and percentiles are not offered',
    async (kind) => {
      const slots = [{ lower: 0, upper: 1000 }];
      const axes = { x: { name: 'size', unit: 'bytes', slots }, y: { name: 'time', unit: 'time', slots } };
      const stdin = JSON.stringify({ kind: 'heat-map', version: 1, ...axes, counts: [[1]] });
      const { exitCode, stderr } = await hdrscope(['plot', '--kind', kind, '-'], { stdin });
      expect([exitCode, stderr]).toEqual([
        1,
        `hdrscope: standard input can be drawn with --kind heat-map only, got ${kind}\n`,
      ]);
    },
  );

  test.each([
    ['--slo p99=5ms', '--slo goes with --kind percentiles, over-time, bars'],
    ['--log', '--log goes with --kind percentiles, over-time, comparison'],
    ['--linear', '--linear goes with --kind percentiles, over-time, comparison'],
    ['--log --linear', '--log and --linear exclude each other'],
  ])('a heat map refuses %s', async (option, message) => {
    const args = ['plot', '--kind', 'heat-map', ...option.split(' '), '-'];
    const { exitCode, stderr } = await hdrscope(args, { stdin: LOG });
    expect([exitCode, stderr]).toEqual([2, `hdrscope: ${message}\n`]);
  });

  test('several plots in one picture are refused', async () => {
    const paths = [folder.write('p.hlog', SINGLE), folder.write('q.hlog', SINGLE)];
    const { exitCode, stderr } = await hdrscope(['plot', '--kind', 'bars', '--format', 'svg', ...paths]);
    expect([exitCode, stderr]).toEqual([
      2,
      'hdrscope: one picture cannot hold 2 plots: --format html and text can\n',
    ]);
  });
});
