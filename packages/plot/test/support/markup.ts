/** Names of the elements that are still open where the markup ends; throws where it is not well formed. */
export function openElements(svg: string): string[] {
  const open: string[] = [];
  const rest = svg.replace(
    /<(\/?)([A-Za-z]+)((?: [\w:-]+="[^"<]*")*) *(\/?)>/g,
    (_, closes: string, name: string, __, isEmpty: string, at: number) => {
      const last = closes === '' ? name : open.pop();
      if (last !== name)
        throw new Error(`</${name}> closes ${last ?? 'nothing'}: ${svg.slice(Math.max(0, at - 300), at)}`);
      if (closes === '' && isEmpty === '') open.push(name);
      return '';
    },
  );
  if (rest.includes('<') || /&(?!#\d+;|\w+;)/.test(rest)) throw new Error(`no markup: ${rest.slice(0, 200)}`);
  return open;
}
