import { it } from 'vitest'
import { checkRandomReads } from './random-reads.ts'

/** Number of reads per case; TWMD_READS overrides it. */
const READS = Number(process.env['TWMD_READS'] ?? 1_200)

it.each([
  ['all rows in memory', { cacheBytes: 2 ** 26 }, { state: 'whole', least: 1, engineShare: 0.1 }],
  ['the newest rows in memory', { cacheBytes: 750_000 }, { state: 'newest', least: 0.35, engineShare: 0.9 }],
] as const)(
  `${READS} random reads with %s return the same bytes as the engine`,
  (_, room, limits) => checkRandomReads(room, READS, limits),
  600_000,
)
