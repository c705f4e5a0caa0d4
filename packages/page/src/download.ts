/** Gives the reader a file that the page has made. */
export function download(name: string, contents: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(contents);
  link.download = name;
  link.click();
  // The browser has read the address by then, and the memory is free again.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** A text as the name of a file: `rpc.duration-method-get.png`. */
export function fileName(text: string, suffix: string): string {
  const name = text.replace(/[^\w.-]+/g, '-').replace(/^[-.]+|[-.]+$/g, '');
  return `${name.slice(0, 100) || 'chart'}.${suffix}`;
}
