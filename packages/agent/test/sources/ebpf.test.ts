import { writeFileSync } from 'node:fs';
import { framesSource } from '@hdrscope/ebpf';
import type { KernelProgram, openKernelProgram } from '@hdrscope/ebpf/loader';
import { createRegistry, IngestMemory, type Registry } from '@hdrscope/registry';
import type { ConfigEntry } from '../../src/config/agent-config.ts';
import { EntryMemory } from '../../src/memory.ts';
import type { EntryContext } from '../../src/part.ts';
import { ebpfExporter } from '../../src/sources/ebpf-exporter.ts';
import { createEbpfProgram } from '../../src/sources/ebpf-program.ts';
import { configOf, useWorld } from '../support/agents.ts';

const world = useWorld();

/** What an agent gives to a source, and the lines that it logs. */
function contextOf(registry: Registry): { context: EntryContext; lines: string[] } {
  const lines: string[] = [];
  const memory = new EntryMemory();
  const context = {
    registry,
    memory,
    intake: () => ({ sourceName: 'kernel', memory: new IngestMemory(), observer: {} }),
    info: (line: string) => lines.push(line),
    missed() {},
  };
  return { context: context as unknown as EntryContext, lines };
}

function sourceIn(yaml: string): ConfigEntry {
  return configOf(`sources: [${yaml}]\nsinks: [{ type: prometheus, listen: 'localhost:0' }]`).sources[0]!;
}

test('a program that starts again says once what it does not count on this kernel', async () => {
  const { context, lines } = contextOf(createRegistry());
  const open = async (): Promise<KernelProgram> => {
    const frame = { generation: 'program 7', cpuCount: 1, counterBits: 64, histograms: [] } as const;
    const program = {} as KernelProgram['program'];
    const source = framesSource([frame]);
    return { name: 'runqueue', by: 'all', source, note: 'depth is not counted', program, close() {} };
  };
  const config = sourceIn('{ type: ebpf-program, program: runqueue }');
  for (let run = 0; run < 2; run++) {
    const running = await createEbpfProgram(open as typeof openKernelProgram).start(config, context);
    await running.stop();
  }
  expect(lines).toEqual(['depth is not counted']);
});

test('a configuration of ebpf_exporter that cannot be read as a whole leaves no source behind', async () => {
  const bucket = '{ name: bucket, size: 4, decoders: [{ name: uint }] }';
  const histograms = ['a', 'b', 'c'].map(
    (name) => `{ name: ${name}, bucket_type: exp2, bucket_max: 5, labels: [${bucket}] }`,
  );
  const path = world.pathOf('config.yaml');
  writeFileSync(path, `metrics: { histograms: [${histograms.join(', ')}] }`);
  const registry = createRegistry();
  let added = 0;
  const failing: Registry = {
    ...registry,
    add: (...args) => {
      if (++added === 3) throw new Error('the registry takes no more sources');
      return registry.add(...args);
    },
  };
  const config = sourceIn(`{ type: ebpf-exporter, config: ${path}, pins: /nowhere }`);
  await expect(ebpfExporter.start(config, contextOf(failing).context)).rejects.toThrow(
    'takes no more sources',
  );
  // A source that was left behind would report that its map cannot be read.
  expect((await registry.gather()).errors).toEqual([]);
});
