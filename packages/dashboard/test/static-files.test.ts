import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { StaticFiles } from '../src/static-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'hdrscope-page-'));
const url = pathToFileURL(`${folder}/`);

afterAll(() => rmSync(folder, { recursive: true }));

test('a page that is built later is found', async () => {
  const files = new StaticFiles('orders', url);
  await expect(files.find('')).rejects.toMatchObject({ code: 'ENOENT' });

  writeFileSync(new URL('page.js', url), 'script');
  writeFileSync(new URL('page.css', url), 'style');

  expect((await files.find('page.js'))?.body.toString()).toBe('script');
  expect((await files.find('page.css'))?.type).toBe('text/css; charset=utf-8');
  expect(await files.find('other')).toBeUndefined();
});

test('markup in the title is text, and the page has no inline script or style', async () => {
  const page = await new StaticFiles('a <b> & "c"', url).find('');

  const html = page!.body.toString();
  expect(html).toContain('<title>a &lt;b&gt; &amp; &quot;c&quot;</title>');
  expect(html).not.toMatch(/<style|style=|<script>|https?:/);
});

test('files with different contents have different tags', async () => {
  const [one, other] = [new StaticFiles('one', url), new StaticFiles('other', url)];

  expect((await one.find(''))!.etag).not.toBe((await other.find(''))!.etag);
  expect((await one.find('page.js'))!.etag).toBe((await other.find('page.js'))!.etag);
});
