import { accessSync, constants, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** Folders and file names for a memory control group. */
export interface GroupPlaces {
  /** Parent folders to try, in order. */
  readonly parents: readonly string[]
  /** Folder of the control group of this process. */
  readonly own: string
  /** Name of the file that contains the limit in bytes. */
  readonly limit: string
}

/** A control group that limits the memory of the processes started in it. */
export interface MemoryGroup {
  /**
   * Runs `begin` inside the group, so that its child processes inherit the group. This process
   * leaves when `begin` returns, so `begin` must start its process synchronously.
   */
  startIn<T>(begin: () => Promise<T>): Promise<T>
  /** Removes the group after its processes have ended. */
  remove(): Promise<void>
}

/**
 * Finds where Linux allows a memory group, according to `/proc/self/cgroup` and
 * `/proc/self/mountinfo`. Uses version 1 if memory has a hierarchy of its own, otherwise version 2.
 * In version 2, only the root group may contain both processes and limited groups. The new group is
 * therefore a sibling of this process's group, unless that is the root.
 *
 * @returns undefined if neither version is mounted
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

/**
 * @returns undefined if this system or user cannot create such a group; a partially created group
 * is removed
 */
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
      // In version 2, the file does not exist and cannot be created if the parent does not delegate
      // memory.
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

/**
 * Number of attempts to remove a group. A process that has just ended may remain a member for a
 * moment.
 */
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
