import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Application } from 'typedoc';
import { publicEntries } from './entries.js';

const OUT = resolve(import.meta.dirname, '../api');

/**
 * Writes the reference of the public API from the doc comments, as pages for the site.
 *
 * @throws Error when a public symbol has no doc comment, a type of one is not exported, or a link leads nowhere.
 */
export async function generateReference() {
  const entries = publicEntries();
  const app = await Application.bootstrapWithPlugins({
    plugin: ['typedoc-plugin-markdown'],
    entryPoints: entries.map(({ file }) => file),
    tsconfig: join(import.meta.dirname, 'tsconfig.json'),
    name: 'API reference',
    readme: 'none',
    excludeInternal: true,
    excludePrivate: true,
    disableSources: true,
    logLevel: 'Warn',
    validation: { notExported: true, invalidLink: true, notDocumented: true },
    treatWarningsAsErrors: true,
  });
  app.options.setValue('hideBreadcrumbs', true);
  app.options.setValue('hidePageHeader', true);
  app.options.setValue('entryFileName', 'index');
  app.options.setValue('useCodeBlocks', true);
  app.options.setValue('parametersFormat', 'table');
  app.options.setValue('interfacePropertiesFormat', 'table');
  const modules = app.getEntryPoints() ?? [];
  // Otherwise a module has the path of its sources for a name.
  for (const module of modules) {
    const { fileName } = module.sourceFile;
    module.displayName = entries.find(({ file }) => file === resolve(fileName))?.name ?? module.displayName;
  }
  const project = app.converter.convert(modules);
  app.validate(project);
  rmSync(OUT, { recursive: true, force: true });
  app.options.setValue('outputs', [{ name: 'markdown', path: OUT }]);
  await app.generateOutputs(project);
  if (app.logger.hasErrors() || app.logger.hasWarnings())
    throw new Error('the reference has problems: see above');
}
