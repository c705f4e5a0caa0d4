const actions = new Set<() => void>();

function runAll(): void {
  for (const action of actions) action();
}

/**
 * Does something when the process, or this thread, ends in any way that lets it. All share one listener: Node.js warns
 * of many.
 *
 * @returns What takes it back.
 */
export function atExit(action: () => void): () => void {
  if (actions.size === 0) process.on('exit', runAll);
  actions.add(action);
  return () => {
    if (actions.delete(action) && actions.size === 0) process.off('exit', runAll);
  };
}
