import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lackOfProgram, testUnless } from '@hdrscope/testing';
import { logLinear8Layout, queueDepthLayout } from '../../src/index.ts';
import { kernelProgramFile } from '../../src/loader/kernel-program.ts';

const tool = fileURLToPath(new URL('../../../../tools/ebpf-program.js', import.meta.url));
const testBuild = testUnless(lackOfProgram('clang'), lackOfProgram('llvm-strip'));

const PROGRAMS = ['blockio', 'runqueue', 'tcprtt'] as const;

testBuild('the objects are built from their sources', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [tool, '--check'], { encoding: 'utf8' });

  for (const name of PROGRAMS) expect(`${stdout}${stderr}`).toContain(`${name}.bpf.o matches its sources`);
  expect(status).toBe(0);
});

testBuild('its slots are those of the layouts, up to 2^53', () => {
  const depths = edgesOf(queueDepthLayout().slots.bounds).filter((depth) => depth < 2 ** 32);
  const waits = edgesOf(logLinear8Layout().slots.bounds).filter((wait) => wait < 2 ** 53);

  expect(slotsInC('depth_slot', depths)).toEqual(
    depths.map((depth) => queueDepthLayout().slots.slotOf(depth)),
  );
  expect(slotsInC('time_slot', waits)).toEqual(waits.map((wait) => logLinear8Layout().slots.slotOf(wait)));
  expect(slotsInC('time_slot', ['18446744073709551615'])).toEqual([495]);
});

/** Integers on both sides of each bound. */
function edgesOf(bounds: readonly number[]): number[] {
  return [0, ...bounds.flatMap((bound) => [bound, bound + 1]), 2 ** 31, 2 ** 52 + 1];
}

/** The slots of values by a function of `slots.h`, which this machine compiles and runs. */
function slotsInC(name: string, values: readonly (number | string)[]): number[] {
  const folder = mkdtempSync(join(tmpdir(), 'hdrscope-slots-'));
  try {
    const source = join(folder, 'main.c');
    writeFileSync(
      source,
      `#include <stdio.h>
#define __always_inline inline __attribute__((always_inline))
typedef unsigned int __u32;
typedef unsigned long long __u64;
#include "${fileURLToPath(new URL('../../program/slots.h', import.meta.url))}"
int main(void) {
  __u64 value;
  while (scanf("%llu", &value) == 1) printf("%u\\n", ${name}(value));
}
`,
    );
    const program = join(folder, 'main');
    const compiled = spawnSync('clang', ['-w', '-o', program, source], { encoding: 'utf8' });
    if (compiled.status !== 0) throw new Error(compiled.stderr);
    const { stdout } = spawnSync(program, { input: values.join('\n'), encoding: 'utf8' });
    return stdout.trim().split('\n').map(Number);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test.each(PROGRAMS)('%s is small, and names no folder of the machine that built it', (name) => {
  const text = readFileSync(kernelProgramFile(name), 'latin1');

  expect(statSync(kernelProgramFile(name)).size).toBeLessThan(20_480);
  expect(text).toContain('GPL\0');
  expect(text.match(/\/(home|root|work|tmp|usr|build)\//g)).toBeNull();
});
