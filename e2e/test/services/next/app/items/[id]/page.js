import { createElement } from 'react';

export const dynamic = 'force-dynamic';

export default async function Item({ params }) {
  const { id } = await params;
  return createElement('p', null, `item ${id}`);
}
