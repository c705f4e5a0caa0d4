import { EventEmitter } from 'node:events';
import { handleStopSignals } from '../src/signals.ts';

function listenTo(): { events: (string | number)[]; send: (signal: string, atMs: number) => void } {
  const source = new EventEmitter();
  const events: (string | number)[] = [];
  let nowMs = 0;
  handleStopSignals({
    source,
    monotonicMs: () => nowMs,
    onStop: (signal) => events.push(signal),
    onImpatience: (exitCode) => events.push(exitCode),
  });
  return {
    events,
    send: (signal, atMs) => {
      nowMs = atMs;
      source.emit(signal);
    },
  };
}

test.each([['SIGINT'], ['SIGTERM'], ['SIGHUP']])('%s stops the demo', (signal) => {
  const { events, send } = listenTo();
  send(signal, 5000);
  expect(events).toEqual([signal]);
});

test('a Ctrl-C that arrives twice counts once', () => {
  const { events, send } = listenTo();
  send('SIGINT', 5000);
  send('SIGINT', 5299);
  expect(events).toEqual(['SIGINT']);
});

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
])('a second signal, here %s, ends the demo at once', (signal, exitCode) => {
  const { events, send } = listenTo();
  send('SIGINT', 5000);
  send(signal, 5300);
  expect(events).toEqual(['SIGINT', exitCode]);
});
