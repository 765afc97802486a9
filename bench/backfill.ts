import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DAYS, folderOf, type Size } from './data.ts'
import { writeDayFiles } from './day-files.ts'
import type { Line } from './table.ts'

const CLI = join(import.meta.dirname, '../src/cli/index.ts')

export async function measureBackfill(size: Size, say: (text: string) => void): Promise<readonly Line[]> {
  const [files, folder] = [`${folderOf(size)}-days`, `${folderOf(size)}-backfill`]
  if (!existsSync(files)) {
    say('writing day files')
    writeDayFiles(files, size, DAYS)
  }
  rmSync(folder, { recursive: true, force: true })
  say('ingesting them')
  const began = performance.now()
  const child = spawn(process.execPath, [CLI, 'ingest', 'twse-t86', files], {
    env: { PATH: process.env['PATH'], DATA_DIR: folder },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [code, peak] = await Promise.all([once(child, 'exit').then(([status]) => status), peakOf(child)])
  const seconds = (performance.now() - began) / 1_000
  rmSync(folder, { recursive: true, force: true })
  if (code !== 0) throw new Error(`twmd ingest ended with code ${code}`)
  const goals = size === 'full' ? { seconds: { goal: { atMost: 120 } }, peak: { goal: { atMost: 1_000 } } } : { seconds: {}, peak: {} }
  return [
    { name: `${DAYS.toLocaleString('en')} day files to a release, one command`, measured: seconds, unit: 's', ...goals.seconds },
    { name: '  its peak memory, RSS', measured: peak / 1e6, unit: 'MB', ...goals.peak },
  ]
}

/** Returns 0 if the platform does not report peak memory. */
async function peakOf(child: ChildProcess): Promise<number> {
  let peak = 0
  while (child.exitCode === null && child.signalCode === null) {
    peak = Math.max(peak, highWater(child.pid!))
    await new Promise(resolve => setTimeout(resolve, 100))
  }
  return peak
}

function highWater(pid: number): number {
  try {
    return Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1_024
  } catch {
    return 0
  }
}
