import { HdrscopeError } from '@hdrscope/core';
import { framesSource } from '@hdrscope/ebpf';
import { Termination } from '../../src/command.ts';
import { command as doctor } from '../../src/commands/ebpf/doctor.ts';
import { command as list } from '../../src/commands/ebpf/list.ts';
import { command as serve } from '../../src/commands/ebpf/serve.ts';
import { hdrscope } from '../support/fake-io.ts';
import { fakeKernel, frameOf, QUEUE_HIST, runWith } from '../support/fake-kernel.ts';

test.each(['list', 'read', 'watch', 'heatmap', 'runqueue', 'blockio', 'tcprtt', 'serve', 'doctor'])(
  'ebpf %s has help with examples',
  async (command) => {
    const { exitCode, stdout, stderr } = await hdrscope(['ebpf', command, '--help']);
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`Usage: hdrscope ebpf ${command} [options]`);
    expect(stdout).toContain(`\nexamples:\n  hdrscope ebpf ${command}`);
    expect(Math.max(...stdout.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(100);
  },
);

const OTHER = { ...QUEUE_HIST, id: 7, type: undefined, name: '', pins: [], known: undefined };
const DIST = {
  ...OTHER,
  ...{
    id: 9,
    type: 'array',
    name: 'dist',
    guesses: [{ layout: 'bcc:64' }],
    why: 'no loaded program uses it',
  },
};

test('lists maps that hold histograms or look like it', async () => {
  const maps = [OTHER, DIST, QUEUE_HIST];
  const frames = [frameOf([1200, 980, 1400, 800, 400, 30, 10, 1])];
  const kernel = fakeKernel({ list: async () => ({ maps, incomplete: undefined }), frames });
  expect(await runWith(list, [], kernel)).toEqual({
    exitCode: 0,
    stderr: '',
    stdout: `id  type          name        key B  value B  entries  layout       count      p99  evidence                                   pinned at
 9  array         dist            4        8        8  -                -        -  needs --layout: no loaded program uses it  -
42  percpu_array  queue_hist      4        8        8  queue-depth  4,821  9 to 16  biolatency.yaml has it                     /sys/fs/bpf/queue_hist
`,
  });
  const { stdout } = await runWith(list, ['--all'], kernel);
  expect(stdout.split('\n')[1]).toBe(
    ' 7  -             -               4        8        8  -                -        -  -                                          -',
  );
  const json = JSON.parse((await runWith(list, ['--json'], kernel)).stdout);
  expect(json).toMatchObject([
    { id: 9, layout: null, ground: null, why: 'no loaded program uses it' },
    {
      ...{
        id: 42,
        type: 'percpu_array',
        layout: 'queue-depth',
        ground: 'biolatency.yaml has it',
        count: 4821,
      },
      percentiles: [{ percentile: 99, lower: 9, upper: 16 }],
    },
  ]);
  expect(json[0]).not.toHaveProperty('guesses');
  expect(json[0]).not.toHaveProperty('count');
});

test('lists the other maps, and ends with 1, when a map breaks a law', async () => {
  const broken = new HdrscopeError('ERR_KERNEL', 'slot 3 of queue_hist has -1 values');
  const maps = [QUEUE_HIST, { ...QUEUE_HIST, id: 43, name: 'others', pins: [] }];
  let reads = 0;
  const kernel = fakeKernel({
    list: async () => ({ maps, incomplete: undefined }),
    open: () => framesSource([[broken], [frameOf([0, 0, 0, 1, 0, 0, 0, 0])]][reads++]!),
  });
  const { exitCode, stdout, stderr } = await runWith(list, [], kernel);
  expect([exitCode, stderr]).toEqual([
    1,
    'hdrscope: the map queue_hist: slot 3 of queue_hist has -1 values\n',
  ]);
  expect(stdout).toMatch(/^42 .* queue-depth +- +- {2}.*^43 .* queue-depth +1 +5 to 8 {2}/ms);
});

test('lists a map that is gone when it is read without its counts', async () => {
  const gone = new HdrscopeError('ERR_KERNEL', 'there is no map 42', { details: { errno: 'ENOENT' } });
  const { exitCode, stdout, stderr } = await runWith(list, [], fakeKernel({ frames: [gone] }));
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^42 .* queue-depth +- +- {2}/m);
});

test('reports why a list is incomplete or empty', async () => {
  const incomplete = new HdrscopeError('ERR_KERNEL', 'EPERM');
  const kernel = fakeKernel({ list: async () => ({ maps: [OTHER], incomplete }) });
  expect((await runWith(list, [], kernel)).stderr).toBe(
    'hdrscope: only pins are listed: EPERM\nhdrscope: no maps that hold histograms; --all lists 1 more\n',
  );
});

const OK = { what: 'bpf(2)', ok: true, detail: 'answers', cure: undefined };
const MISSING = { what: 'bpftrace', ok: false, detail: 'not installed', cure: 'apt-get install bpftrace' };

test('the doctor shows what is missing and what helps', async () => {
  expect(await runWith(doctor, [], fakeKernel({ examine: async () => [OK, MISSING] }))).toEqual({
    exitCode: 0,
    stderr: '',
    stdout: `ok      bpf(2)    answers
cannot  bpftrace  not installed
                  apt-get install bpftrace
`,
  });
  const none = fakeKernel({ examine: async () => [MISSING] });
  expect(await runWith(doctor, [], none)).toMatchObject({
    exitCode: 1,
    stdout: expect.stringContaining('No histogram can be read here.\n'),
  });
  const { stdout, exitCode } = await runWith(doctor, ['--json'], none);
  expect([JSON.parse(stdout), exitCode]).toEqual([{ canRead: false, findings: [{ ...MISSING }] }, 1]);
});

test('the doctor fits on a narrow screen', async () => {
  const finding = { ...MISSING, detail: 'not installed, or in a folder that PATH does not have' };
  const shownOn = async (columns: number): Promise<string> => {
    const kernel = fakeKernel({ examine: async () => [OK, finding] });
    const environment = { COLUMNS: String(columns) };
    return (await runWith(doctor, [], kernel, { environment })).stdout;
  };
  expect(await shownOn(44)).toBe(`ok      bpf(2)    answers
cannot  bpftrace  not installed, or in a
                  folder that PATH does not
                  have
                  apt-get install bpftrace
`);
  expect(await shownOn(40)).toBe(`ok      bpf(2)
        answers
cannot  bpftrace
        not installed, or in a folder
        that PATH does not have
        apt-get install bpftrace
`);
});

test('serves a map to Prometheus', async () => {
  const kernel = fakeKernel({ frames: [frameOf([5, 4, 1, 0, 0, 0, 0, 2])] });
  let text: Promise<string> | undefined;
  const onOutput = (url: string, end: (reason: Termination) => void) => {
    text = fetch(url.trim()).then((response) => response.text());
    text.finally(() => end(new Termination('SIGINT', 130)));
  };
  const served = runWith(serve, ['/pin', '--layout', 'queue-depth', '--port', '0'], kernel, { onOutput });
  await expect(served).rejects.toMatchObject({ name: 'AbortError' });
  expect((await text)!.split('\n')).toEqual(
    expect.arrayContaining([
      'queue_hist_bucket{le="0"} 5',
      'queue_hist_bucket{le="4"} 10',
      'queue_hist_bucket{le="+Inf"} 12',
      'queue_hist_count 12',
    ]),
  );
});

test('refuses an invalid port', async () => {
  await expect(runWith(serve, ['/pin', '--port', '65536'], fakeKernel({}))).rejects.toThrow('--port must be');
});
