import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { askedFor, USAGE } from './options.ts'

const RUN = fileURLToPath(new URL('run.ts', import.meta.url))

/** What the program says instead of running, and its exit code. */
function said(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', RUN, ...args], {
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

it('without options, an hour is run as the page of benchmarks says', () => {
  expect(askedFor([])).toEqual({ minutes: 60, rate: 100, restart: 10, publish: 60, json: undefined })
  expect(askedFor(['--restart', '0', '--json', 'soak.json'])).toMatchObject({ restart: 0, json: 'soak.json' })
})

it('--help prints how it is used', () => expect(said('--help')).toEqual({ status: 0, stdout: `${USAGE}\n`, stderr: '' }))

it('an unknown option is told in a sentence, with how it is used', () =>
  expect(said('--hours', '1')).toEqual({ status: 2, stdout: '', stderr: `Unknown option '--hours'. ${USAGE}\n` }))

it.each([
  [['--minutes', '0'], '--minutes must be'],
  [['--rate', 'many', '--publish', ''], '--rate and --publish must be'],
  [['--restart', 'Infinity'], '--restart must be'],
  [['--minutes'], "Option '--minutes <value>' argument missing"],
  [['60'], "Unexpected argument '60'"],
])('%j is told what is wrong with it', (args, told) => {
  const asked = askedFor(args)
  expect(asked).toEqual({ mistake: expect.stringContaining(told) })
  expect(asked).toEqual({ mistake: expect.stringContaining(USAGE) })
})
