const actions = new Set<() => void>();

function runAll(): void {
  for (const action of actions) action();
}

/**
 * Runs an action when the process or this thread exits, unless it is killed. All actions share one listener, as Node.js
 * warns about many listeners.
 *
 * @returns A function that removes the action.
 */
export function atExit(action: () => void): () => void {
  if (actions.size === 0) process.on('exit', runAll);
  actions.add(action);
  return () => {
    if (actions.delete(action) && actions.size === 0) process.off('exit', runAll);
  };
}
