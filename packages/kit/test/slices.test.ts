import { Slices } from '../src/index.ts';

function busyMs(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

test('long work lets a timer run that is due', async () => {
  const order: string[] = [];
  setTimeout(() => order.push('timer'), 1);
  const slices = new Slices(2);
  for (let piece = 0; piece < 40; piece++) {
    busyMs(0.25);
    if (slices.isOver()) await slices.next();
  }
  order.push('end of the work');
  expect(order).toEqual(['timer', 'end of the work']);
});

test('work shorter than a slice is not cut', () => {
  const slices = new Slices(1000);
  for (let piece = 0; piece < 100; piece++) expect(slices.isOver()).toBe(false);
});
