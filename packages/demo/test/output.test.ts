import { EventEmitter } from 'node:events';
import { createOutput } from '../src/output.ts';

class FakeStream extends EventEmitter {
  readonly written: string[] = [];
  readonly isTTY: boolean;
  readonly colours: boolean;

  constructor({ isTTY = false, colours = false } = {}) {
    super();
    this.isTTY = isTTY;
    this.colours = colours;
  }

  write(text: string): boolean {
    return this.written.push(text) > 0;
  }

  hasColors(): boolean {
    return this.colours;
  }

  asStream(): NodeJS.WriteStream {
    return this as unknown as NodeJS.WriteStream;
  }
}

test('output ends when its reader has gone, and onClosed runs once', () => {
  const stream = new FakeStream();
  let closed = 0;
  const out = createOutput(stream.asStream(), () => closed++);

  out.write('one');
  stream.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
  out.write('two');
  stream.emit('error', new Error('again'));

  expect([stream.written, closed]).toEqual([['one'], 1]);
});

test.each([
  ['a pipe', { isTTY: false, colours: true }, 'time'],
  ['a terminal without colours', { isTTY: true, colours: false }, 'time'],
  ['a terminal with colours', { isTTY: true, colours: true }, '\u001b[1mtime\u001b[22m'],
])('a header suits %s', (_, stream, expected) => {
  const out = createOutput(new FakeStream(stream).asStream(), () => {});

  expect(out.header('time')).toBe(expected);
});
