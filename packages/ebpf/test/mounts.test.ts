import { mountsIn } from '../src/system-files.ts';

test('mounts have their paths and types, whatever stands between these', () => {
  const mountinfo = `24 1 0:22 / /sys rw,nosuid - sysfs sysfs rw
33 24 0:29 / /sys/fs/bpf rw,nosuid,nodev shared:10 master:1 - bpf bpf rw,mode=700
40 1 0:44 / /tmp/a\\040b\\134c rw - cgroup2 none rw
`;
  expect(mountsIn(mountinfo)).toEqual([
    { path: '/sys', type: 'sysfs' },
    { path: '/sys/fs/bpf', type: 'bpf' },
    { path: '/tmp/a b\\c', type: 'cgroup2' },
  ]);
  expect(mountsIn('a line of something else\n')).toEqual([]);
});
