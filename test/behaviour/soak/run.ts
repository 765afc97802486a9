import { writeFileSync } from 'node:fs'
import { askedFor } from './options.ts'
import { reportText } from './report.ts'
import { soak } from './soak.ts'
import { BOUNDS } from './verdict.ts'

/*
 * npm run soak -- --minutes 60 [--rate 100] [--restart 10] [--publish 60] [--json FILE]
 *
 * Everything at once against one service, for as long as one likes. The exit code is 1 where something is not well.
 */
const asked = askedFor(process.argv.slice(2))
if ('help' in asked) {
  console.log(asked.help)
  process.exit(0)
}
if ('mistake' in asked) {
  console.error(asked.mistake)
  process.exit(2)
}
const SAMPLE_EVERY_MS = 10_000
const due = (asked.minutes * 60_000) / SAMPLE_EVERY_MS
const report = await soak({
  minutes: asked.minutes,
  rate: asked.rate,
  tickers: 400,
  days: 400,
  tidyEvery: 5,
  keep: 10,
  publishEveryMs: asked.publish * 1_000,
  restartEveryMs: asked.restart * 60_000,
  ...BOUNDS,
  leastSamples: Math.max(BOUNDS.leastSamples, due / 2),
  sampleEveryMs: SAMPLE_EVERY_MS,
  spanMs: 300_000,
  progress: line => console.error(line),
})
if (asked.json !== undefined) writeFileSync(asked.json, `${JSON.stringify(report, null, 1)}\n`)
console.log(reportText(report))
process.exitCode = report.complaints.length === 0 ? 0 : 1
