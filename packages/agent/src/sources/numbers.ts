// More digits than any number has; what is longer is no number, and must not fill the memory.
const LONGEST_WORD = 400;

const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

/** What is made of a text of numbers, as it comes in pieces. */
export interface NumberReader {
  push(bytes: Uint8Array): void;
  /** What was last had no space after it. */
  end(): void;
}

/** Reads numbers that spaces, commas or lines separate; what is none is given to `onOther`, cut off where it is long. */
export function numberReader(
  onNumber: (value: number) => void,
  onOther: (word: string) => void,
): NumberReader {
  const decoder = new TextDecoder();
  let rest = '';
  const take = (word: string): void => {
    if (word === '') return;
    if (NUMBER.test(word)) onNumber(Number(word));
    else onOther(word.slice(0, LONGEST_WORD));
  };
  return {
    push(bytes) {
      const words = (rest + decoder.decode(bytes, { stream: true })).split(/[\s,;]+/);
      rest = words.pop()!;
      for (const word of words) take(word);
      // Its end is cut off, and tells as little as its beginning.
      if (rest.length > 2 * LONGEST_WORD) rest = rest.slice(0, LONGEST_WORD + 1);
    },
    end() {
      take(rest + decoder.decode());
      rest = '';
    },
  };
}
