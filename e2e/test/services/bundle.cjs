/** Bundles a service with webpack, its packages included: `node bundle.cjs ENTRY FILE`. */
const { resolve } = require('node:path');
const webpack = require('webpack');

const [, , entry, filename] = process.argv;
const configuration = {
  mode: 'production',
  target: 'node',
  entry: resolve(entry),
  output: { path: __dirname, filename },
  optimization: { minimize: false },
};
webpack(configuration, (error, stats) => {
  if (error || stats.hasErrors()) throw error ?? new Error(stats.toString());
});
