export const dynamic = 'force-dynamic';

export function GET() {
  setTimeout(() => process.kill(process.pid, 'SIGTERM'), 100);
  return new Response('bye');
}
