import { type Frame, type KernelLayout, queueDepthLayout } from '@hdrscope/ebpf';
import { MetricClaims, type ServedMap } from '../../src/commands/ebpf/serve.ts';
import { frameOf } from '../support/fake-kernel.ts';

function served(argument: string, attributes: ServedMap['attributes'] = {}): ServedMap {
  return { argument, options: {}, attributes };
}

const DEPTHS = frameOf([1, 0, 0, 0, 0, 0, 0, 0]);

test('attributes distinguish two maps of one metric', () => {
  const claims = new MetricClaims();
  claims.claim(served('/a', { pool: 'a' }), DEPTHS);
  claims.claim(served('/b', { pool: 'b' }), DEPTHS);
  expect(() => claims.claim(served('/c', { pool: 'b' }), DEPTHS)).toThrow(
    '/b and /c are both the metric queue_hist: add metric=NAME or attributes.NAME=TEXT to one of them, as in /c,metric=queue_hist2',
  );
});

test('a map alone may come back with other slots, and no map beside another one', () => {
  const claims = new MetricClaims();
  const a = served('/a', { pool: 'a' });
  const other = frameOf([1, 0], { layout: { ...queueDepthLayout(), slots: twoSlots() } });
  claims.claim(a, DEPTHS);
  claims.claim(a, other);
  claims.claim(a, DEPTHS);
  claims.claim(served('/b', { pool: 'b' }), DEPTHS);
  expect(() => claims.claim(a, other)).toThrow(
    '/b and /a are both the metric queue_hist, with other slots or another unit: add metric=NAME to one of them',
  );
});

function twoSlots(): KernelLayout['slots'] {
  const { slots } = queueDepthLayout();
  return { ...slots, bounds: slots.bounds.slice(0, 1), slotCount: 2 };
}

test('a map of many keys is compared once', () => {
  let looks = 0;
  const layout = queueDepthLayout();
  const counting = { ...layout, slots: { ...layout.slots, bounds: layout.slots.bounds } };
  Object.defineProperty(counting.slots, 'bounds', {
    get() {
      looks++;
      return layout.slots.bounds;
    },
  });
  const [one] = DEPTHS.histograms;
  const frame: Frame = {
    ...DEPTHS,
    histograms: Array.from({ length: 500 }, (_, k) => ({ ...one!, layout: counting, attributes: { k } })),
  };
  const claims = new MetricClaims();
  claims.claim(served('/a', { pool: 'a' }), DEPTHS);
  claims.claim(served('/b', { pool: 'b' }), frame);
  expect(looks).toBe(1);
});
