import { it } from 'vitest'
import { checkRandomReads } from './random-reads.ts'

/** Reads of each case; TWMD_READS sets another number. */
const READS = Number(process.env['TWMD_READS'] ?? 1_200)

it.each([
  ['all rows in memory', { cacheBytes: 2 ** 26, diskCacheBytes: 0 }, { state: 'whole', least: 1, engineShare: 0.1 }],
  ['the newest rows in memory', { cacheBytes: 500_000, diskCacheBytes: 0 }, { state: 'newest', least: 0.5, engineShare: 0.9 }],
  ['the newest rows on disk', { cacheBytes: 0, diskCacheBytes: 2 ** 26 }, { state: 'onDisk', least: 1, engineShare: 0.1 }],
  ['rows on disk and some in memory', { cacheBytes: 60_000, diskCacheBytes: 2 ** 26 }, { state: 'onDisk', least: 1, engineShare: 0.5 }],
] as const)(
  `${READS} random reads with %s return the bytes of the engine`,
  (_, room, limits) => checkRandomReads(room, READS, limits),
  600_000,
)
