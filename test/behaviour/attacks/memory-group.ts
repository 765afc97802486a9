import { accessSync, constants, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** Where a control group of memory may be made, and the files of it. */
export interface GroupPlaces {
  /** Folders in which a group is tried, in this order. */
  readonly parents: readonly string[]
  /** Folder of the group that this process is in. */
  readonly own: string
  /** Name of the file that takes the most bytes. */
  readonly limit: string
}

/** A control group that bounds the memory of whatever is started in it. */
export interface MemoryGroup {
  /** Starts something in the group; what it starts inherits it, and this process leaves it at once. `begin` must have started its process when it returns. */
  startIn<T>(begin: () => Promise<T>): Promise<T>
  /** Removes the group, once its processes have ended. */
  remove(): Promise<void>
}

/**
 * Where Linux lets a group be made, by what `/proc/self/cgroup` and `/proc/self/mountinfo` say. Version 1 where memory has a hierarchy of
 * its own, else version 2, in which only the root group may have processes and groups that are bounded: elsewhere the new group lies
 * beside the one of this process.
 *
 * @returns undefined where neither is mounted
 */
export function groupPlaces(groups: string, mounts: string): GroupPlaces | undefined {
  const mountOf = (is: (type: string, options: readonly string[]) => boolean): string | undefined =>
    mounts
      .split('\n')
      .map(line => line.split(' - '))
      .filter(([, end]) => end !== undefined && is(end.split(' ')[0]!, end.split(' ').at(-1)!.split(',')))
      .map(([start]) => start!.split(' ')[4]!)[0]
  const first = /^\d+:(?:\w+,)*memory(?:,\w+)*:(.*)$/m.exec(groups)?.[1]
  const firstMount = mountOf((type, options) => type === 'cgroup' && options.includes('memory'))
  if (first !== undefined && firstMount !== undefined)
    return { parents: [firstMount], own: join(firstMount, first), limit: 'memory.limit_in_bytes' }
  const second = /^0::(.*)$/m.exec(groups)?.[1]
  const secondMount = mountOf(type => type === 'cgroup2')
  if (second === undefined || secondMount === undefined) return undefined
  const own = join(secondMount, second)
  return { parents: second === '/' ? [own] : [dirname(own), own], own, limit: 'memory.max' }
}

/** @returns undefined where this system or user may not make such a group; nothing is left of the attempt then */
export function openMemoryGroup(bytes: number): MemoryGroup | undefined {
  const places = placesHere()
  for (const parent of places?.parents ?? []) {
    const group = join(parent, `twmd-hostile-${process.pid}`)
    const enter = (folder: string): void => writeFileSync(join(folder, 'cgroup.procs'), String(process.pid))
    const leave = (): void => enter(places!.own)
    try {
      mkdirSync(group)
    } catch {
      continue
    }
    try {
      // A group of version 2 has no such file where its parent does not hand memory down; nobody may make one.
      writeFileSync(join(group, places!.limit), String(bytes))
      accessSync(join(places!.own, 'cgroup.procs'), constants.W_OK)
      enter(group)
      leave()
    } catch {
      rmdirSync(group)
      continue
    }
    return {
      startIn(begin) {
        enter(group)
        try {
          return begin()
        } finally {
          leave()
        }
      },
      remove: () => removed(group),
    }
  }
  return undefined
}

function placesHere(): GroupPlaces | undefined {
  try {
    return groupPlaces(readFileSync('/proc/self/cgroup', 'utf8'), readFileSync('/proc/self/mountinfo', 'utf8'))
  } catch {
    return undefined
  }
}

/** A process that has just ended may count as a member for a moment. */
const ATTEMPTS = 50

async function removed(group: string): Promise<void> {
  for (let attempt = 1; ; attempt++)
    try {
      return rmdirSync(group)
    } catch (error) {
      if (attempt === ATTEMPTS) throw error
      await sleep(100)
    }
}
