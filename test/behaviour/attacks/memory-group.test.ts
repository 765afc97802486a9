import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { groupPlaces, openMemoryGroup } from './memory-group.ts'

const V1 = [
  '30 24 0:26 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755',
  '34 30 0:30 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct',
  '35 30 0:31 / /sys/fs/cgroup/memory rw,relatime shared:10 - cgroup cgroup rw,memory',
  '36 30 0:32 / /sys/fs/cgroup/unified rw,relatime shared:11 - cgroup2 cgroup2 rw',
].join('\n')
const V2 = '25 24 0:22 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate'

it('the memory limit uses cgroup v1 if v1 has a memory hierarchy', () =>
  expect(groupPlaces('4:memory:/jobs/1\n3:cpu,cpuacct:/\n0::/\n', V1)).toEqual({
    parents: ['/sys/fs/cgroup/memory'],
    own: '/sys/fs/cgroup/memory/jobs/1',
    limit: 'memory.limit_in_bytes',
  }))

it('the memory limit uses a sibling of the process’s cgroup v2 group if v1 has no memory hierarchy', () =>
  expect(groupPlaces('0::/user.slice/session-1.scope\n', V2)).toEqual({
    parents: ['/sys/fs/cgroup/user.slice', '/sys/fs/cgroup/user.slice/session-1.scope'],
    own: '/sys/fs/cgroup/user.slice/session-1.scope',
    limit: 'memory.max',
  }))

it('the memory limit uses a child of the cgroup v2 root group', () =>
  expect(groupPlaces('0::/\n', V2)?.parents).toEqual(['/sys/fs/cgroup/']))

it('no memory group is found if no cgroup hierarchy is mounted', () => expect(groupPlaces('0::/\n', V1.split('\n')[0]!)).toBe(undefined))

it('only the process that is started in a memory group belongs to it, and the group can be removed afterwards', async context => {
  const group = openMemoryGroup(2 ** 30)
  if (group === undefined) return context.skip('this system or user may not bound the memory of a process')
  const name = `twmd-hostile-${process.pid}`
  const { stdout } = await group.startIn(() => promisify(execFile)('cat', ['/proc/self/cgroup']))
  expect(stdout).toContain(name)
  expect(readFileSync('/proc/self/cgroup', 'utf8')).not.toContain(name)
  await group.remove()
  // Opening the same group again shows that it was removed, because `mkdir` fails if it still
  // exists.
  const again = openMemoryGroup(2 ** 30)
  expect(again).toBeDefined()
  await again!.remove()
})
