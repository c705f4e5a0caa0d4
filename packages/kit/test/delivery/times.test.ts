import { DeliveryTimes } from '../../src/delivery/index.ts';

test('times go on by milliseconds when the clock is set back', () => {
  const times = new DeliveryTimes();
  expect(times.next(1000)).toBe(1000);
  times.noteTaken(1000);
  expect(times.next(400)).toBe(1001);
  times.noteDoubt(1001);
  expect(times.next(401)).toBe(1002);
  expect(times.next(2000)).toBe(2000);
});

test('a time of the future that nobody has taken is given up', () => {
  const times = new DeliveryTimes();
  times.noteTaken(times.next(1000));
  times.noteDoubt(times.next(90_000));
  expect(times.next(2000)).toBe(90_001);
  times.noteAhead(90_001);
  expect(times.next(2001)).toBe(2001);
});

test('a time of the future that a receiver has taken is given up when another one refuses it', () => {
  const times = new DeliveryTimes();
  times.noteTaken(times.next(90_000));
  expect(times.next(2000)).toBe(90_001);
  times.noteAhead(90_001);
  expect(times.next(2001)).toBe(2001);
  times.noteTaken(2001);
  expect(times.next(2001)).toBe(2002);
});

test('times that were right stay, when a clock that is set back follows one that was far ahead', () => {
  const times = new DeliveryTimes();
  times.noteTaken(times.next(5000));
  times.noteDoubt(times.next(90_000));
  times.clockMs = 1000;
  times.noteAhead(90_000);
  expect(times.next(2000)).toBe(5001);
});
