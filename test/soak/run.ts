import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { reportText } from './report.ts'
import { soak } from './soak.ts'

/*
 * npm run soak -- --minutes 60 [--rate 100] [--restart 10] [--publish 60] [--json FILE]
 *
 * Everything at once against one service, for as long as one likes. The exit code is 1 where something is not well.
 */
const { values } = parseArgs({
  options: {
    /** How long. */
    minutes: { type: 'string', default: '60' },
    /** Requests a second. */
    rate: { type: 'string', default: '100' },
    /** Minutes between restarts; 0 for none. */
    restart: { type: 'string', default: '10' },
    /** Seconds between publications. */
    publish: { type: 'string', default: '60' },
    json: { type: 'string' },
  },
})

const numbers = Object.fromEntries(Object.entries(values).map(([name, text]) => [name, Number(text)]))
const wrong = ['minutes', 'rate', 'restart', 'publish'].filter(name => !(numbers[name]! >= (name === 'restart' ? 0 : 0.001)))
if (wrong.length > 0) {
  console.error(`${wrong.map(name => `--${name}`).join(' and ')} must be a number above 0 (--restart may be 0).`)
  process.exit(2)
}
const report = await soak({
  ...{ minutes: numbers['minutes']!, rate: numbers['rate']!, tickers: 400, days: 400, tidyEvery: 5, keep: 10 },
  ...{ publishEveryMs: numbers['publish']! * 1_000, restartEveryMs: numbers['restart']! * 60_000 },
  ...{ sampleEveryMs: 10_000, spanMs: 300_000, mostDisk: 2 ** 31, mostShed: 0.01, progress: line => console.error(line) },
})
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(report, null, 1)}\n`)
console.log(reportText(report))
process.exitCode = report.complaints.length === 0 ? 0 : 1
