import { readFileSync, rmSync, statSync } from 'node:fs';
import { testUnless } from '@hdrscope/testing';
import { mapInfo, openPinnedMap, pin } from '../../src/bpf/maps.ts';
import { loadBpf } from '../../src/bpf/syscall.ts';
import { type KernelProgramName, type LoadedProgram, loadProgram } from '../../src/loader/index.ts';
import { kernelProgramFile } from '../../src/loader/kernel-program.ts';
import { loadConfigured } from '../../src/loader/load-program.ts';
import { lackOfMount, mountBpffs, type PrivateBpffs } from '../support/kernel.ts';
import { expectGone, lackOfLoader } from '../support/loaded.ts';

const RUN_QUEUE = kernelProgramFile('runqueue');
const why = await lackOfLoader();
const testLoader = testUnless(why);
const testPins = testUnless(why ?? (await lackOfMount()));

let program: LoadedProgram | undefined;
let bpffs: PrivateBpffs | undefined;

afterEach(() => {
  program?.close();
  bpffs?.unmount();
  program = bpffs = undefined;
});

test('reports that libbpf is missing', async () => {
  await expect(loadProgram(RUN_QUEUE, { libbpf: 'libbpf-of-nobody.so' })).rejects.toMatchObject({
    code: 'ERR_KERNEL',
    message: expect.stringContaining('libbpf-of-nobody.so cannot be loaded: install libbpf 1.x'),
  });
});

test('takes a path or bytes', async () => {
  await expect(loadProgram(7 as never)).rejects.toMatchObject({
    code: 'ERR_INVALID_OPTION',
    message: 'object must be a path or bytes, got 7',
  });
});

testLoader('reports the messages of libbpf about a missing file and an invalid program', async () => {
  await expect(loadProgram('/nowhere/program.bpf.o')).rejects.toMatchObject({
    code: 'ERR_KERNEL',
    message: expect.stringMatching(/^\/nowhere\/program\.bpf\.o cannot be opened: ENOENT\n.*libbpf: /s),
  });
  await expect(loadProgram(new Uint8Array(64))).rejects.toThrow(/is not a proper ELF object/);
});

testLoader.each([
  // Numbers of types that do not exist: libbpf 1.1 fails when it opens the first file, and when it loads the second one.
  ['blockio', 2979, 73],
  ['tcprtt', 2692, 57],
] as const)(
  'refuses a file that would end the process, as %s with another byte does',
  async (name, at, byte) => {
    const hostile = Uint8Array.from(readFileSync(kernelProgramFile(name)));
    hostile[at] = byte;
    await expect(loadProgram(hostile)).rejects.toMatchObject({
      code: 'ERR_KERNEL',
      message: expect.stringContaining('the program cannot be'),
    });
  },
);

testLoader('reports the messages of the kernel about a rejected program', async () => {
  const bytes = Buffer.from(readFileSync(RUN_QUEUE));
  // Without its licence the program may not read structures of the kernel.
  bytes.write('XXX', bytes.indexOf('GPL\0'), 'latin1');

  await expect(loadProgram(bytes)).rejects.toMatchObject({
    code: 'ERR_KERNEL',
    message: expect.stringMatching(/^the program cannot be loaded: E\w+.*libbpf: /s),
  });
});

/** An object in which a text is replaced by another one of the same length. */
function withOther(name: KernelProgramName, text: string, other: string): Uint8Array {
  const bytes = Buffer.from(readFileSync(kernelProgramFile(name)));
  for (let at = bytes.indexOf(text); at !== -1; at = bytes.indexOf(text, at + 1)) bytes.write(other, at);
  return bytes;
}

testLoader('names what the kernel lacks: a tracepoint, or a field that the program reads', async () => {
  await expect(loadProgram(withOther('tcprtt', 'tp_btf/tcp_probe', 'tp_btf/tcp_other'))).rejects.toThrow(
    /^the program cannot be loaded: Linux \S+ has no tracepoint tcp_other: run a newer kernel, /,
  );
  await expect(loadProgram(withOther('tcprtt', 'srtt_us', 'srtt_xx'))).rejects.toThrow(
    /^the program cannot be loaded: Linux \S+ has no tcp_sock\.srtt_xx: run a newer kernel, /,
  );
});

testLoader('counts latency on a kernel whose tasks do not lead to their run queue', async () => {
  const unknown = withOther('runqueue', 'nr_running', 'nr_runners');
  await expect(loadConfigured(unknown, undefined, {})).rejects.toThrow(
    /has no rq\.nr_runners: run a newer kernel, /,
  );

  const constants = new Uint8Array(Uint32Array.of(0, 1).buffer);
  program = await loadConfigured(unknown, undefined, { constants });
  expect(program.programs).toHaveLength(3);
});

testLoader(
  'loads the programs that fit the tracepoints of this kernel, with room for so many keys',
  async () => {
    const settings = { without: ['hdrscope_old'], maxEntries: { by_key: 7 } };
    program = await loadConfigured(kernelProgramFile('blockio'), undefined, settings);
    expect(program.programs.map(({ name }) => name)).toEqual(['hdrscope_issue', 'hdrscope_done']);
    expect(mapInfo(await loadBpf(), program.maps.get('by_key')!.fd).maxEntries).toBe(7);

    // The reason of the verifier is not that this user may not load programs.
    const refused = loadConfigured(kernelProgramFile('blockio'), undefined, { without: ['hdrscope_issue'] });
    await expect(refused).rejects.toThrow(/cannot be loaded: E\w+\nlibbpf: .*doesn't have 2-th argument/s);
  },
);

testLoader('reports a setting that libbpf refuses, and does not load the program without it', async () => {
  const constants = new Uint8Array(4);
  await expect(loadConfigured(RUN_QUEUE, undefined, { constants })).rejects.toMatchObject({
    code: 'ERR_KERNEL',
    message: expect.stringMatching(/^its constants cannot be these 4 bytes: EINVAL/),
  });
});

testLoader('loads bytes and files, also twice at once', async () => {
  program = await loadProgram(readFileSync(RUN_QUEUE));
  const second = await loadProgram(RUN_QUEUE);
  const maps = [...second.maps.values()].map(({ id }) => id);

  expect([...second.maps.keys()].sort()).toEqual([
    'by_key',
    'latency_hist',
    'missed',
    'nothing',
    'queue_hist',
    'runqueue.rodata',
    'waiting_since',
  ]);
  expect(maps).not.toContain(program.maps.get('queue_hist')!.id);
  second.close();
  await expectGone({ maps, programs: second.programs.map(({ id }) => id) });
});

testPins('pins a map for others, and removes the pin when it is closed', async () => {
  bpffs = mountBpffs();
  program = await loadProgram(RUN_QUEUE);
  const path = bpffs.path('depth');
  program.pin('queue_hist', path, 0o444);

  expect(statSync(path).mode & 0o777).toBe(0o444);
  const bpf = await loadBpf();
  bpf.close(openPinnedMap(bpf, path));

  program.close();
  expect(statSync(path, { throwIfNoEntry: false })).toBeUndefined();
});

testPins('keeps a pin that another program has put in place', async () => {
  bpffs = mountBpffs();
  program = await loadProgram(RUN_QUEUE);
  const path = bpffs.path('depth');
  program.pin('queue_hist', path);
  rmSync(path);
  pin(await loadBpf(), program.maps.get('latency_hist')!.fd, path);

  program.close();
  expect(statSync(path, { throwIfNoEntry: false })).toBeDefined();
});

testPins('refuses to pin an unknown map, with an invalid mode, or outside a bpffs', async () => {
  bpffs = mountBpffs();
  program = await loadProgram(RUN_QUEUE);
  const loaded = program;

  expect(() => loaded.pin('depth', bpffs!.path('depth'))).toThrow(
    /^name must be one of .*queue_hist.*, got "depth"$/,
  );
  expect(() => loaded.pin('queue_hist', bpffs!.path('depth'), 0o1777)).toThrow(/^mode must be /);
  expect(() => loaded.pin('queue_hist', '/tmp/hdrscope-no-bpffs')).toThrow(/cannot be pinned to .*: E[A-Z]+/);
  loaded.close();
  expect(() => loaded.pin('queue_hist', bpffs!.path('depth'))).toThrow('the program is closed');
});
