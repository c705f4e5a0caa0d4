import type { KernelLayout } from '../../src/index.ts';
import { slotOfIndex } from '../../src/layout/kernel-layout.ts';
import {
  keyOfBpftrace,
  layoutOfScriptMap,
  mapsOfScript,
  titleOfScriptMap,
} from '../../src/source/bpftrace-script.ts';

const titlesIn = (script: string): readonly string[] => mapsOfScript(script).map(titleOfScriptMap);

test('finds the functions that fill maps', () => {
  const script = `#!/usr/bin/env bpftrace
#include <linux/sched.h>
/* @old = hist(1); */ // @older = hist(2);
kprobe:do_nanosleep /comm == "x]=hist(1)"/ {
  @start[tid] = nsecs;
  if (@start[tid] == 5) { @us[comm, @names[tid]] = hist((nsecs - @start[tid]) / 1000); }
  @[ustack] = count()
}
END { clear(@start); print(@us); @bytes = lhist(arg2, 0, 1_000, 0x64); @fine = hist(arg1, 3); @max[1] = max(@us[1]) }`;
  expect(titlesIn(script)).toEqual([
    '@start = another value',
    '@us = hist(…)',
    '@ = count()',
    '@bytes = lhist(…, 0, 1_000, 0x64)',
    '@fine = hist(…, 3)',
    '@max = max(…)',
  ]);
});

test('a map that is filled in two ways is left out, and one in two places is not', () => {
  expect(
    titlesIn(
      'BEGIN { @a = hist(1); @a = count(); @b = hist(1); @b = hist(2); @c = lhist(1,0,9,1); @c = lhist(1,0,9,3) }',
    ),
  ).toEqual(['@b = hist(…)']);
  expect(titlesIn('BEGIN { @a = hist(1); @a = count(); @a = hist(1) }')).toEqual([]);
});

test.each([
  '',
  '@',
  '@x',
  '@x[',
  '@x[1',
  '@x =',
  '@x = hist(',
  '@x[1] = hist(1',
  '"@x = hist(1);',
  '/* @x = hist(1);',
])('the unfinished script %j has no histogram', (script) => {
  expect(mapsOfScript(script).filter(({ call }) => call === 'hist')).toEqual([]);
});

test('a long unfinished script is read to its end', () => {
  for (const part of ['@a[1] = hist(', '@a = hist(1); /* "', '@[', '"@a\\"', '#define a']) {
    expect(mapsOfScript(part.repeat(5000)).length).toBeLessThan(2);
  }
});

const layoutIn = (assignment: string): KernelLayout | undefined =>
  layoutOfScriptMap(mapsOfScript(`#define MAX 100\nBEGIN { @x = ${assignment}; }`)[0]!);

test('makes the layout of hist() and lhist() from their arguments', () => {
  expect(slotOfIndex(layoutIn('hist(nsecs)')!, 33)).toBe(33);
  expect(layoutIn('hist(nsecs)')!.slots.upper(33)).toBe(Number.POSITIVE_INFINITY);
  expect(layoutIn('hist(nsecs, 2)')!.slots.slotOf(1000)).toBeGreaterThan(34);
  expect(layoutIn('lhist(nsecs, 0, MAX, 10)')!.slots.bounds).toEqual([
    -1, 9, 19, 29, 39, 49, 59, 69, 79, 89, 99,
  ]);
  for (const unclear of [
    'lhist(1, 0, $1, 10)',
    'lhist(1, 0, 010, 2)',
    'lhist(1, 0, 1ms, 10)',
    'lhist(1, 0, 9)',
    'hist(1, 9)',
  ]) {
    expect([unclear, layoutIn(unclear)]).toEqual([unclear, undefined]);
  }
});

const keysIn = (keys: string, size: number): readonly string[] =>
  keyOfBpftrace(size, mapsOfScript(`BEGIN { @x[${keys}] = hist(1); }`)[0]!.keys).map(
    ({ name, type, offset }) => `${name} ${type} ${offset}`,
  );

test('the slot follows the keys, whose types are those of the script where their sizes fit', () => {
  expect(keysIn('comm, pid', 32)).toEqual(['comm char[16] 0', 'pid u64 16', 'slot u64 24']);
  expect(keysIn('pid, str(arg1), "abc"', 8 + 64 + 4 + 8)).toEqual([
    ...['pid u64 0', 'key2 char[64] 8', 'key3 char[4] 72', 'slot u64 76'],
  ]);
  expect(keysIn('str(args->filename)', 208)).toEqual(['key char[200] 0', 'slot u64 200']);
  expect(keysIn('pid', 12)).toEqual(['pid u32 0', 'slot u64 4']);
  expect(keysIn('@a[1] + 1', 16)).toEqual(['key bytes[8] 0', 'slot u64 8']);
  // Another version has keys of other sizes.
  expect(keysIn('comm, pid', 28)).toEqual(['key bytes[20] 0', 'slot u64 20']);
  expect(keyOfBpftrace(24, undefined).map(({ type }) => type)).toEqual(['bytes[16]', 'u64']);
  expect(keyOfBpftrace(8, undefined).map(({ type }) => type)).toEqual(['u64']);
});

test('a key that is no integer is bytes, although it has the size of one', () => {
  expect(keysIn('kstack', 16)).toEqual(['kstack bytes[8] 0', 'slot u64 8']);
  expect(keysIn('$name', 12)).toEqual(['key bytes[4] 0', 'slot u64 4']);
  expect(keysIn('pid + 1', 16)).toEqual(['key bytes[8] 0', 'slot u64 8']);
  expect(keysIn('pid', 24)).toEqual(['pid bytes[16] 0', 'slot u64 16']);
});
