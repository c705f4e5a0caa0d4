/** Prints the ids of the loaded maps, then counts run queues until it is ended. */
import { openKernelProgram } from '@hdrscope/ebpf/loader';

const { program } = await openKernelProgram('runqueue');
console.log(JSON.stringify([...program.maps.values()].map(({ id }) => id)));
setInterval(() => {}, 1000);
