import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { isTradingDay } from '../../ingest/calendar/index.ts'
import { type Ingested, ingestFiles } from '../../ingest/index.ts'
import { addDays } from '../../src/core/index.ts'
import { ended, startTwmd } from '../fixtures/cli/twmd.ts'
import { feeds, t86Body } from '../fixtures/ingest/bodies.ts'
import { service } from '../support.ts'

export const TRADES = 'institutional-positioning'
/** Days for a run that is killed. */
export const KILLED_DAYS: readonly string[] = tradingDays(120)
/** Days for a run that is stopped. Only a run of 50 files or more can be resumed. */
export const DAYS: readonly string[] = tradingDays(60)
export const FILES = DAYS.length

function tradingDays(count: number): readonly string[] {
  const days: string[] = []
  for (let day = '2026-06-30'; days.length < count; day = addDays(day, -1)) if (isTradingDay(day)) days.unshift(day)
  return days
}

/** Replaces text in a file without changing the file's size and modification time. */
export function replaceUnseen(file: string, from: string, replacement: string): void {
  const { mtime, size } = statSync(file)
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(from, replacement))
  utimesSync(file, mtime, mtime)
  expect(statSync(file).size).toBe(size)
}

/** A service with a folder of files, and functions that stop or kill runs over these files. */
export async function interruptionSetup() {
  const s = await service({ examples: false, indexed: false })
  const folder = join(s.dir, 'days')
  mkdirSync(folder)
  const dayFile = (day: string, shares: number): string => {
    const file = join(folder, `${day}.json`)
    writeFileSync(file, t86Body(day, { '2330': [shares, 0, 0], '0050': [0, shares, 0] }))
    // A time in whole seconds, because a test can restore it exactly.
    utimesSync(file, 1_780_000_000 + shares, 1_780_000_000 + shares)
    return file
  }
  /** @param stopAfter number of files after which the run fails */
  const run = (files: readonly string[], stopAfter?: number): Promise<Ingested> =>
    ingestFiles(s.workspace, feeds.get('twse-t86')!, files, {
      requestedDay: undefined,
      accept: [],
      progress(count) {
        if (count === stopAfter) throw new Error('stopped')
      },
    })
  return {
    s,
    folder,
    dayFile,
    run,
    dayFiles: (days = DAYS): readonly string[] => days.map((day, index) => dayFile(day, 1_001 + index)),
    interrupted: (files: readonly string[]) => expect(run(files, 55)).rejects.toThrow('stopped'),
    /** Runs the command over the folder and kills it after it has written its journal. */
    async killed(): Promise<void> {
      const child = startTwmd(s.dir, ['ingest', 'twse-t86', folder])
      const staging = join(s.dir, 'staging')
      const hasJournal = (): boolean =>
        existsSync(staging) &&
        readdirSync(staging).some(name => (statSync(join(staging, name, 'files.ndjson'), { throwIfNoEntry: false })?.size ?? 0) > 0)
      while (!hasJournal() && child.exitCode === null) await new Promise(resolve => setTimeout(resolve, 5))
      child.kill('SIGKILL')
      await ended(child)
    },
    /** Foreign net purchases of 2330 on a served day. */
    async servedShares(day: string): Promise<unknown> {
      await s.releases.refresh()
      const answer = await s.get(`/v2/datasets/${TRADES}?symbol=2330&start_date=${day}&end_date=${day}`, s.keyOn('pro'))
      return answer.json().data[0].foreign_net_buy
    },
  }
}
