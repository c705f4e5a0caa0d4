import { styleText } from 'node:util';

/** Where the demo prints. */
export interface Output {
  write(text: string): void;
  /** A header, set off where the reader has colours. */
  header(text: string): string;
}

/**
 * Prints to a stream until it fails: whoever reads a pipe may close it (`npm start | head`), and a terminal may go.
 * That is no error, only the end of the audience.
 */
export function createOutput(stream: NodeJS.WriteStream, onClosed: () => void): Output {
  let isOpen = true;
  stream.on('error', () => {
    if (!isOpen) return;
    isOpen = false;
    onClosed();
  });
  const hasColours = stream.isTTY && stream.hasColors();
  return {
    write: (text) => {
      if (isOpen) stream.write(text);
    },
    header: (text) => (hasColours ? styleText('bold', text, { validateStream: false }) : text),
  };
}
