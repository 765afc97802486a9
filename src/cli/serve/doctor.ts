import { existsSync, statSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { Command } from 'commander'
import { BUILT_IN_PLANS, loadCatalog, served } from '../../../catalog/index.ts'
import { openControl } from '../../control/index.ts'
import { type Config, createLog, loadSecrets, PLANS_FILE, planChanges, plansAsFile, readPlans } from '../../core/index.ts'
import { checkNewestCommits } from '../../delta/index.ts'
import { failureReason, isEngineError } from '../../engine/index.ts'
import { openTransport } from '../../mail/index.ts'
import { openReleases, releasePaths } from '../../releases/index.ts'
import { findBookFaults, inspectState, runningService } from '../../state/index.ts'
import { EXIT, print, printJson } from '../terminal.ts'
import { configured } from '../workspace.ts'

interface Finding {
  readonly check: string
  readonly ok: boolean
  readonly said: string
}

type Check = (config: Config) => Promise<string> | string

/** In the order of execution. A failed check throws an Error whose message contains a fix. */
const CHECKS: Readonly<Record<string, Check>> = { secrets, plans, state, releases, tables, disk, mail }

export function doctorCommand(program: Command, setExitCode: (code: number) => void): void {
  program
    .command('doctor')
    .description('check configuration, state, releases, disk and mail')
    .option('--json', 'print one JSON document')
    .action(async ({ json }: { json?: true }) => {
      const config = configured()
      const findings: Finding[] = [{ check: 'configuration', ok: true, said: configuration(config) }]
      for (const [check, inspect] of Object.entries(CHECKS)) {
        try {
          findings.push({ check, ok: true, said: await inspect(config) })
        } catch (error) {
          findings.push({
            check,
            ok: false,
            said: isEngineError(error) || !(error instanceof Error) ? failureReason(error) : error.message,
          })
        }
      }
      if (findings.some(({ ok }) => !ok)) setExitCode(EXIT.refused)
      if (json) printJson(findings)
      else for (const { check, ok, said } of findings) print(`${ok ? 'ok   ' : 'FIX  '} ${check.padEnd(14)} ${said}`)
    })
}

/**
 * In production, warns if HOST is a loopback address and TRUST_PROXY is not set. With these
 * settings, requests usually come from a local proxy.
 */
function configuration({ production, dataDir, host, trustProxy, visitors }: Config): string {
  const shown = visitors
    ? `; VISITORS shows the datasets of plan ${visitors} without an account: the licences of their sources must allow it`
    : ''
  const said = `${production ? 'production' : 'development'}, data in ${dataDir}${shown}`
  if (!production || trustProxy.length > 0 || !/^(127\.|::1$|localhost$)/.test(host)) return said
  return `${said}; HOST is ${host} and TRUST_PROXY is not set: behind a proxy, all callers share one address and its limits. If there is a proxy, set TRUST_PROXY to its address`
}

function secrets(config: Config): string {
  loadSecrets(config)
  refuseReadable(join(config.dataDir, 'secrets.json'))
  return config.production
    ? 'all set in the environment'
    : 'stored in secrets.json in the data folder; set them in the environment in production'
}

function plans({ dataDir }: Config): string {
  const changes = planChanges(plansAsFile(BUILT_IN_PLANS), plansAsFile(readPlans(dataDir)))
  return changes.length === 0 ? 'the built-in ones' : `${PLANS_FILE} sets ${changes.map(({ field }) => field).join(', ')}`
}

function state(config: Config): string {
  if (!existsSync(config.stateDb)) return 'no state file yet; the first start or the first key creates it'
  refuseReadable(config.stateDb)
  const { accounts, activeKeys, ledgerRows } = inspectState(config.stateDb)
  const control = openControl(config, loadSecrets(config))
  const faults = findBookFaults(control.db)
  control.close()
  if (faults.length > 0)
    throw new Error(`${faults.join(' ')} Run twmd drill <folder> to check whether the newest backup has the same fault.`)
  const holder = runningService(config.stateDb)
  return `intact: ${accounts} accounts, ${activeKeys} active keys, ${ledgerRows} ledger rows${holder ? `; served by ${holder}` : ''}`
}

function refuseReadable(file: string): void {
  const mode = (statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o777
  if (mode & 0o077) throw new Error(`Other users can read ${file} (mode ${mode.toString(8)}). Run chmod 600 on it.`)
}

/** The dataset accepts no publications until the damage is fixed. */
const MEND =
  'Run twmd releases verify <dataset>. Restore the files that it lists from a copy of the releases folder, or the file "current" if it lists none. A running service then serves them. Without a copy, move the folder of the dataset away and ingest all source files again.'

/** A running service may serve other releases than this check finds. */
async function releases({ releasesDir }: Config): Promise<string> {
  const catalog = await loadCatalog()
  const found = await openReleases({ root: releasesDir, catalog, log: createLog('silent') })
  try {
    const states = served(catalog).map(dataset => ({ dataset, release: releaseOf(() => found.served(dataset)) }))
    const damaged = states.filter(({ release }) => release === 'damaged').map(({ dataset }) => dataset.slug)
    const older = states.filter(({ release }) => typeof release === 'object' && release?.degraded).map(({ dataset }) => dataset.slug)
    const wrong = [
      ...(damaged.length > 0 ? [`No release on disk is intact: ${damaged.join(', ')}.`] : []),
      ...(older.length > 0 ? [`The newest release on disk is damaged, an older one is intact: ${older.join(', ')}.`] : []),
    ]
    if (wrong.length > 0) throw new Error([...wrong, MEND].join(' '))
    const building = states.filter(({ release }) => release === null).map(({ dataset }) => dataset.slug)
    return `${states.length - building.length} of ${states.length} datasets on disk, all parts intact; /readyz lists the served ones${building.length > 0 ? `; not published yet: ${building.join(', ')}` : ''}`
  } finally {
    found.close()
  }
}

/** Only other engines read the Delta logs. The API does not. */
async function tables({ releasesDir }: Config): Promise<string> {
  const published = [...(await loadCatalog()).values()].filter(({ slug }) => existsSync(releasePaths(releasesDir, slug).home))
  const faults: string[] = []
  for (const dataset of published) {
    // Another check reports unreadable releases.
    const { fault } = await checkNewestCommits(releasesDir, dataset).catch(() => ({ fault: null }))
    if (fault !== null) faults.push(`${dataset.slug} (${fault})`)
  }
  if (faults.length > 0)
    throw new Error(`The table log differs from the served release: ${faults.join(', ')}. Run twmd tables rebuild, or publish the dataset.`)
  return `the table logs of all ${published.length} published datasets match the served releases`
}

function releaseOf<T>(read: () => T): T | 'damaged' {
  try {
    return read()
  } catch {
    return 'damaged'
  }
}

/** Minimum share of free disk space. */
const LEAST_FREE = 0.1

async function disk({ dataDir }: Config): Promise<string> {
  const { bavail, blocks, bsize } = await statfs(existsSync(dataDir) ? dataDir : '.')
  const [free, share] = [(bavail * bsize) / 2 ** 30, bavail / blocks]
  if (share < LEAST_FREE)
    throw new Error(`${(share * 100).toFixed(1)} % of the disk is free (${free.toFixed(1)} GiB). Delete or move files before you publish.`)
  return `${free.toFixed(1)} GiB free`
}

async function mail({ mail: { url, from } }: Config): Promise<string> {
  const transport = openTransport(url, from)
  try {
    await transport.check()
    return url === 'console:' ? 'printed to the terminal; set MAIL_URL to send it' : 'accepted by the server'
  } catch (error) {
    throw new Error(
      `The mail server of MAIL_URL does not respond (${(error as NodeJS.ErrnoException).code ?? 'refused'}). Correct MAIL_URL or start the server; until then sign-in codes stay in the outbox.`,
    )
  } finally {
    transport.close()
  }
}
