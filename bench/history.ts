import { cloneOf } from './append.ts'
import { startChild } from './child.ts'
import { dayFile, NEXT_DAYS, type Size } from './data.ts'
import type { Line } from './table.ts'

const MIB = 2 ** 20

/** Measures appending a day, compaction, and the comparison of two releases. */
export async function measureHistory(size: Size): Promise<readonly Line[]> {
  const folder = cloneOf(size, 'append')
  const [publisher, reader] = [startChild('publisher.ts'), startChild('publisher.ts')]
  try {
    await publisher.ask('open', folder)
    const before = await publisher.ask<string>('served')
    await publisher.ask('publish', dayFile(size, NEXT_DAYS[0]!))
    const compacting = await publisher.ask<number>('compact')
    await reader.ask('open', folder)
    const { ms, added, compared, peak } = await reader.ask<{ ms: number; added: number; compared: number; peak: number }>('diff', before)
    if (added === 0) throw new Error('The comparison found nothing')
    return [
      { name: 'compact all buckets', measured: compacting / 1_000, unit: 's', goal: { atMost: 10 } },
      { name: `compare two releases, ${compared} parts, none shared`, measured: ms / 1_000, unit: 's', goal: { atMost: 10 } },
      { name: '  memory of that process at its peak, RSS', measured: peak / MIB, unit: 'MiB' },
    ]
  } finally {
    await Promise.all([publisher.stop(), reader.stop()])
  }
}
