import { writeFileSync } from 'node:fs'
import { parseArguments } from './options.ts'
import { reportText } from './report.ts'
import { soak } from './soak.ts'
import { BOUNDS } from './verdict.ts'

/*
 * npm run soak -- --minutes 60 [--rate 100] [--restart 10] [--publish 60] [--json FILE]
 *
 * Runs all kinds of operations against one service for the given time. Exits with 1 if a check
 * failed.
 */
const options = parseArguments(process.argv.slice(2))
if ('help' in options) {
  console.log(options.help)
  process.exit(0)
}
if ('mistake' in options) {
  console.error(options.mistake)
  process.exit(2)
}
const SAMPLE_EVERY_MS = 10_000
const due = (options.minutes * 60_000) / SAMPLE_EVERY_MS
const report = await soak({
  minutes: options.minutes,
  rate: options.rate,
  tickers: 400,
  days: 400,
  tidyEvery: 5,
  keep: 10,
  publishEveryMs: options.publish * 1_000,
  restartEveryMs: options.restart * 60_000,
  ...BOUNDS,
  leastSamples: Math.max(BOUNDS.leastSamples, due / 2),
  sampleEveryMs: SAMPLE_EVERY_MS,
  spanMs: 300_000,
  progress: line => console.error(line),
})
if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(report, null, 1)}\n`)
console.log(reportText(report))
process.exitCode = report.complaints.length === 0 ? 0 : 1
