/** A URL as it may be shown: without user and password. */
export function withoutUser(text: string): string {
  const url = new URL(text);
  if (url.username === '' && url.password === '') return text;
  url.username = '';
  url.password = '';
  return url.href;
}
