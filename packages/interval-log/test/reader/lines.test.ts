import fc from 'fast-check';
import { type DroppedLine, LineSplitter } from '../../src/reader/parser.ts';
import { brief, bytes, entriesOf, newParser } from '../support/read.ts';

function split(chunks: readonly Uint8Array[], maxLineBytes: number): (string | DroppedLine)[] {
  const splitter = new LineSplitter(maxLineBytes);
  const lines = chunks.flatMap((chunk) => [...splitter.push(chunk)]);
  return [...lines, ...splitter.end()];
}

describe('a line longer than allowed', () => {
  test('is malformed, and its neighbours are not', () => {
    const lines = `#short\n#${'x'.repeat(40)}\n#short\n`;
    expect(entriesOf(lines, { maxLineBytes: 20 }).map(brief)).toEqual([
      '1 comment short',
      '2 ERR_LOG_FORMAT',
      '3 comment short',
    ]);
    expect(entriesOf(lines, { maxLineBytes: 20 })[1]).toMatchObject({
      error: { message: 'line 2: a line must have at most 20 bytes, got 41' },
    });
    expect(entriesOf(lines, { maxLineBytes: 41 }).map(brief)).not.toContain('2 ERR_LOG_FORMAT');
  });

  test('is measured in bytes, wherever chunks end', () => {
    const line = bytes('#äöü\n#a\n');
    for (let cut = 0; cut <= line.length; cut++) {
      const chunks = [line.subarray(0, cut), line.subarray(cut)];
      expect(split(chunks, 6)).toEqual([{ bytes: 7 }, '#a']);
      expect(split(chunks, 7)).toEqual(['#äöü', '#a']);
    }
  });

  test.each([0, 1.5, Number.NaN, Number.POSITIVE_INFINITY])(
    'cannot be limited to %p bytes',
    (maxLineBytes) => {
      expect(() => entriesOf('', { maxLineBytes })).toThrow(
        expect.objectContaining({
          code: 'ERR_INVALID_OPTION',
          message: expect.stringMatching(/^maxLineBytes/),
        }),
      );
    },
  );
});

test('lines are the same wherever chunks end', () => {
  const character = fc.constantFrom('\n', '\r', 'a', 'ä', '😀', '\u0000', '\uFEFF');
  fc.assert(
    fc.property(
      fc.array(character, { maxLength: 60 }),
      fc.array(fc.nat(20), { maxLength: 20 }),
      fc.integer({ min: 1, max: 30 }),
      (characters, sizes, maxLineBytes) => {
        const text = characters.join('');
        const whole = bytes(text);
        const chunks: Uint8Array[] = [];
        let at = 0;
        for (const size of sizes) {
          chunks.push(whole.subarray(at, at + size));
          at += size;
        }
        chunks.push(whole.subarray(at));
        const expected = text
          .split(/\r\n|\n|\r/)
          .map((line) => {
            const { length } = bytes(line);
            return length > maxLineBytes ? { bytes: length } : line;
          })
          .slice(0, /(?:^|[\r\n])$/.test(text) ? -1 : undefined);
        expect(split(chunks, maxLineBytes)).toEqual(expected);
      },
    ),
  );
});

test('a chunk of any size is cut at whole lines', () => {
  const line = `#${'x'.repeat(1_500_000)}`;
  const text = bytes(`${line}\n#a\n${line}\n#b`);
  expect(split([text], 2 ** 24)).toEqual([line, '#a', line, '#b']);
  expect(split([text], 2 ** 20)).toEqual([{ bytes: 1_500_001 }, '#a', { bytes: 1_500_001 }, '#b']);
});

test('a line is read only when it is asked for, so that one line is in memory at a time', () => {
  const parser = newParser();
  const entries = parser.push(bytes('#a\n#b\n#c'));
  expect(parser.line).toBe('');
  expect(entries.next().value).toMatchObject({ kind: 'comment', text: 'a', lineNumber: 1 });
  expect(parser.line).toBe('#a');
  expect([...entries, ...parser.end()].map(brief)).toEqual(['2 comment b', '3 comment c']);
});
