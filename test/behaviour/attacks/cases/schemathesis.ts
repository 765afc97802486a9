import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { ended } from '../../../fixtures/cli/twmd.ts'
import { SECRETS } from '../../../support.ts'
import type { Bounds, HostileCase, Outcome } from '../case.ts'
import { BELIEVED } from '../documented.ts'
import { attacked } from '../target.ts'

const PYTHON = process.env['PYTHON3'] ?? 'python3'
const PACKAGE = 'schemathesis==4.32.5'
/** Minimum duration in seconds. The program needs it for a useful number of requests. */
const LEAST_SECONDS = 20
const CHECKS =
  'not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,response_schema_conformance'
/** Operations that return 5xx without a payment provider, or that end the caller's session. */
const EXCLUDED = [
  '--exclude-tag',
  'billing',
  '--exclude-path',
  '/fact/{dataset}/{symbol}/{period}',
  '--exclude-path',
  '/v2/self-serve/account',
]

/** @param cwd folder in which the program stores examples for its next run */
const run = (program: string, args: readonly string[], cwd = '.') =>
  ended(spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] })).catch(() => ({ code: null, stdout: '', stderr: '' }))

/**
 * A cached Python environment with the program; undefined if Python or the registry is unavailable.
 */
async function program(): Promise<string | undefined> {
  const version = await run(PYTHON, ['--version'])
  if (version.code !== 0) return undefined
  const hash = createHash('sha256')
    .update(version.stdout + PACKAGE)
    .digest('hex')
    .slice(0, 16)
  const environment = resolve('node_modules/.cache/twmd-schemathesis', hash)
  const found = join(environment, 'bin/schemathesis')
  if (existsSync(found)) return found
  await rm(environment, { recursive: true, force: true })
  await mkdir(resolve(environment, '..'), { recursive: true })
  // The environment is created in its final place, because its scripts contain their absolute path.
  const made = (await run(PYTHON, ['-m', 'venv', environment])).code === 0
  const installed = made && (await run(join(environment, 'bin/python'), ['-m', 'pip', 'install', '-q', PACKAGE])).code === 0
  if (installed) return found
  await rm(environment, { recursive: true, force: true })
  return undefined
}

/**
 * True for a finding about a dry run. Their media type has a parameter that the program ignores, so
 * it checks their answers against the wrong schema.
 */
const isDryRun = (finding: string): boolean => /[?&]dry_run=true/.test(finding) && finding.includes('ST108')

/** The findings of a report, each with the request that reproduces it. */
function findingsIn(text: string): readonly string[] {
  const begins = text.indexOf('= FAILURES =')
  const ends = text.indexOf('= SUMMARY =')
  if (begins === -1) return []
  return text
    .slice(begins, ends === -1 ? undefined : ends)
    .split(/\n_{5,} /)
    .slice(1)
    .flatMap(operation => {
      const [name = '', ...findings] = operation.split(/\n\d+\. Test Case ID: /)
      return findings.map(finding => `${name.split(' _')[0]} ${finding}`)
    })
}

export const cases: readonly HostileCase[] = [
  {
    id: 'S8',
    tries:
      'requests made by schemathesis from the OpenAPI document, in all its phases: without a credential, with a key, with the admin token',
    holds: 'no schemathesis request causes a 5xx, and every answer matches the OpenAPI document',
    run: async (bounds: Bounds): Promise<Outcome> => {
      if (bounds.seconds < LEAST_SECONDS) return { tries: 0, failures: [], skipped: `it takes ${LEAST_SECONDS} s` }
      const schemathesis = await program()
      if (schemathesis === undefined) return { tries: 0, failures: [], skipped: `${PYTHON} is absent, or ${PACKAGE} cannot be installed` }
      return attacked(bounds, { plans: ['max'], env: BELIEVED, others: true }, async target => {
        const callers = [
          ['no credential', []],
          ['a key', [`X-API-Key: ${target.callers[0]!.key}`]],
          ['the admin token', [`X-Admin-Token: ${SECRETS.ADMIN_TOKEN}`]],
        ] as const
        const failures: string[] = []
        const figures: Record<string, number | string> = {}
        for (const [index, [who, headers]] of callers.entries()) {
          const headerArguments = [...headers, `X-Forwarded-For: 10.9.0.${index + 1}`].flatMap(header => ['-H', header])
          const report = join(bounds.folder, `${index}.ndjson`)
          const args = [
            'run',
            `${target.url.origin}/openapi.json`,
            '--origin',
            target.url.origin,
            '--checks',
            CHECKS,
            '--seed',
            '20260701',
            '--workers',
            '1',
            '--no-color',
            ...['--phases', 'examples,coverage,fuzzing,stateful', '--max-time', String(Math.ceil(bounds.seconds))],
            '--generation-database',
            'none',
            '--suppress-health-check',
            'all',
            '--warnings',
            'off',
            '--continue-on-failure',
            '--report',
            'ndjson',
            '--report-ndjson-path',
            report,
            ...EXCLUDED,
            ...headerArguments,
          ]
          const { code, stdout, stderr } = await run(schemathesis, args, bounds.folder)
          figures[`with ${who}`] = requestsIn(report)
          const all = findingsIn(stdout)
          const found = all.filter(finding => !isDryRun(finding))
          failures.push(...found.map(finding => `with ${who}: ${shortened(finding)}`))
          if (figures[`with ${who}`] === 0) failures.push(`with ${who} it sent nothing`)
          const trouble = /🚫 (\w+ Error): \d+/u.exec(stdout)?.[1]
          if (trouble !== undefined) failures.push(`with ${who}: ${trouble}: ${shortened(stdout.slice(stdout.indexOf('= ERRORS =')))}`)
          // Schemathesis exits with 1 if it has findings, including those about dry runs.
          if (code !== 0 && !(code === 1 && all.length > 0))
            failures.push(`with ${who} it ended with ${code}: ${stdout.slice(-600)} ${stderr.slice(-600)}`)
          const summary = `${found.length} findings, ${all.length - found.length} of dry runs, ${trouble ?? 'no error of the program'}`
          bounds.say(`with ${who}: ${figures[`with ${who}`]} requests, ${summary}`)
        }
        const tries = Object.values(figures).reduce<number>((sum, count) => sum + (typeof count === 'number' ? count : 0), 0)
        return { tries, failures, figures }
      })
    },
  },
]

/** The lines of a finding that state the fault, and the command that reproduces it. */
const shortened = (finding: string): string => {
  const lines = finding.split('\n').filter(line => line.trim() !== '')
  return [...lines.slice(0, 4), lines.findLast(line => line.includes('curl')) ?? ''].join(' ⏎ ').slice(0, 900)
}

/** Number of requests in a report. */
const requestsIn = (report: string): number =>
  existsSync(report) ? (readFileSync(report, 'utf8').match(/"status_code":/g)?.length ?? 0) : 0
