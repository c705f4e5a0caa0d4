/** Counts run queues until somebody ends it; it says at first what it has loaded. */
import { openRunQueue } from '@hdrscope/ebpf/loader';

const { program } = await openRunQueue();
console.log(JSON.stringify([...program.maps.values()].map(({ id }) => id)));
setInterval(() => {}, 1000);
