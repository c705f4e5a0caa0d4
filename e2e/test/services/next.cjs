/** A service of Next.js, which `next build next` has built: `next start`. It ends when somebody asks for /quit. */
const { createServer } = require('node:net');

const server = createServer().listen(0, '127.0.0.1', () => {
  const { port } = server.address();
  server.close(() => {
    process.argv.splice(2, 0, 'start', 'next', '--hostname', '127.0.0.1', '--port', `${port}`);
    console.log(`listening on ${port}`);
    require('next/dist/bin/next');
  });
});
