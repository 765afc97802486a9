import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { parseArguments, USAGE } from './options.ts'

const RUN = fileURLToPath(new URL('run.ts', import.meta.url))

/** Output and exit code of a run with invalid options. */
function outputOf(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', RUN, ...args], {
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

it('npm run soak without options runs an hour with the documented rates', () => {
  expect(parseArguments([])).toEqual({ minutes: 60, rate: 100, restart: 10, publish: 60, json: undefined })
  expect(parseArguments(['--restart', '0', '--json', 'soak.json'])).toMatchObject({ restart: 0, json: 'soak.json' })
})

it('npm run soak -- --help prints its usage', () => expect(outputOf('--help')).toEqual({ status: 0, stdout: `${USAGE}\n`, stderr: '' }))

it('npm run soak refuses an unknown option with its usage', () =>
  expect(outputOf('--hours', '1')).toEqual({ status: 2, stdout: '', stderr: `Unknown option '--hours'. ${USAGE}\n` }))

it.each([
  [['--minutes', '0'], '--minutes must be'],
  [['--rate', 'many', '--publish', ''], '--rate and --publish must be'],
  [['--restart', 'Infinity'], '--restart must be'],
  [['--minutes'], "Option '--minutes <value>' argument missing"],
  [['60'], "Unexpected argument '60'"],
])('npm run soak refuses %j and names the mistake', (args, message) => {
  const options = parseArguments(args)
  expect(options).toEqual({ mistake: expect.stringContaining(message) })
  expect(options).toEqual({ mistake: expect.stringContaining(USAGE) })
})
