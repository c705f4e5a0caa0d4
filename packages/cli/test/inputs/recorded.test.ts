import type { PercentilePlot } from '@hdrscope/plot';
import { hdrscope } from '../support/fake-io.ts';
import { parseValues } from '../support/figure-values.ts';
import { useFolder } from '../support/logs.ts';
import { dataOf } from '../support/plots.ts';

const folder = useFolder();

describe('figures of a finer resolution than that of texts', () => {
  const recordedFile = async (name: string, numbers: string, unit: string, step: string): Promise<string> => {
    const path = folder.pathOf(name);
    const options = ['--unit', unit, '--resolution', step, '--digits', '4', '--json', '-o', path];
    expect(await hdrscope(['record', ...options, '-'], { stdin: numbers })).toMatchObject({ exitCode: 0 });
    return path;
  };

  test('are compared and drawn in its steps', async () => {
    const path = await recordedFile('small.json', '1e-6\n2e-6\n', 'none', '1e-9');
    const { stdout } = await hdrscope(['diff', path, path, '--json']);
    expect(parseValues(stdout).before.runs[0]).toMatchObject({ min: 1e-6, max: 2e-6 });
    const { stdout: text } = await hdrscope(['diff', path, path]);
    expect(text).toMatch(/^ *p50 +0\.00000100 +0\.00000100 /m);
    const { curves } = await dataOf<PercentilePlot>([path]);
    expect(curves[0]!.points.at(-1)!.value).toBeCloseTo(2e-6, 9);
  });

  test('may be parts of a nanosecond', async () => {
    const path = await recordedFile('ns.json', '0.3ns\n12.3ns\n', 'ns', '0.1');
    const { stdout } = await hdrscope(['diff', path, path, '--json']);
    expect(parseValues(stdout).before.runs[0]).toMatchObject({ unit: 'ms', min: 3e-7, max: 1.23e-5 });
  });
});
