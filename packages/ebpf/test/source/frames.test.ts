import { type Frame, framesSource } from '../../src/index.ts';

const frame = (generation: string): Frame => ({ generation, cpuCount: 1, counterBits: 64, histograms: [] });

test('returns frames and throws errors in turn, and repeats the last one', () => {
  const source = framesSource([frame('1'), new Error('unplugged'), frame('2')]);
  expect(source.read()).toEqual(frame('1'));
  expect(() => source.read()).toThrow('unplugged');
  expect([source.read(), source.read()]).toEqual([frame('2'), frame('2')]);
  source.close();
  expect(() => source.read()).toThrow('the frames are closed');
  expect(() => framesSource([], { name: 'those' }).read()).toThrow('those must be at least one');
});
