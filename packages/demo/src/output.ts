import { styleText } from 'node:util';

/** The output of the demo. */
export interface Output {
  write(text: string): void;
  /** Formats a header: bold if the terminal has colours. */
  header(text: string): string;
}

/**
 * Prints to a stream until the stream fails. The reader of a pipe may close it (`npm start | head`), and a terminal may
 * close. Neither is an error.
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
