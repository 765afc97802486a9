import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { loadCatalog } from '../../catalog/index.ts'
import { openControl } from '../../src/control/index.ts'
import { releasePaths } from '../../src/releases/index.ts'
import { runTwmd } from '../fixtures/cli/in-process.ts'
import { type Folder, preparedFolder } from '../state/folder.ts'
import { openTestWorkspace, publishRows, SECRETS } from '../support.ts'

let folder: Folder
beforeAll(async () => {
  folder = await preparedFolder(2)
})
afterAll(() => folder.remove())

interface Finding {
  readonly check: string
  readonly ok: boolean
  readonly said: string
}

/**
 * Runs the doctor.
 * @returns the exit code, the failed checks and all findings
 */
async function examined(environment: Readonly<Record<string, string>> = {}, dir = folder.dir) {
  const { code, stdout } = await runTwmd(dir, ['doctor', '--json'], { ...SECRETS, ...environment })
  const findings = JSON.parse(stdout) as readonly Finding[]
  return { code, wrong: findings.filter(({ ok }) => !ok).map(({ check, said: output }) => [check, output]), findings }
}

const WELL = { code: 0, wrong: [] }

/** Expects the doctor to report one fault and its fix, and a healthy folder after the repair. */
async function reported(check: string, message: RegExp, spoil: () => void, repair: () => void): Promise<void> {
  spoil()
  expect(await examined()).toMatchObject({ code: 1, wrong: [[check, expect.stringMatching(message)]] })
  repair()
  expect(await examined()).toMatchObject(WELL)
}

it('twmd doctor passes every check on a healthy folder, as text and as JSON', async () => {
  const { findings, ...well } = await examined()
  expect(well).toEqual(WELL)
  expect(findings.map(({ check }) => check)).toEqual(['configuration', 'secrets', 'plans', 'state', 'releases', 'tables', 'disk', 'mail'])
  const { code, stdout, stderr } = await runTwmd(folder.dir, ['doctor'], SECRETS)
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout.trimEnd().split('\n')).toEqual(findings.map(({ check }) => expect.stringMatching(new RegExp(`^ok +${check} +\\S`))))
  expect(stdout).toContain('2 accounts, 2 active keys')
})

it('twmd doctor passes on an empty folder and creates no state file', async () => {
  const empty = join(folder.dir, 'empty')
  expect(await examined({}, empty)).toMatchObject(WELL)
  expect(existsSync(join(empty, 'state.sqlite'))).toBe(false)
})

it('twmd doctor mentions TRUST_PROXY only in production on a loopback address', async () => {
  const production = { NODE_ENV: 'production', KEY_PEPPER: 'p'.repeat(32), MAIL_URL: `file://${folder.dir}/mail` }
  const output = async (environment: Readonly<Record<string, string>>): Promise<string> =>
    (await examined({ ...production, ...environment })).findings.find(({ check }) => check === 'configuration')!.said
  expect(await output({})).toMatch(/^production, .*HOST is 127\.0\.0\.1 and TRUST_PROXY is not set: .*set TRUST_PROXY to its address$/)
  for (const environment of [{ TRUST_PROXY: '127.0.0.1' }, { HOST: '0.0.0.0' }])
    expect(await output(environment)).not.toContain('TRUST_PROXY')
})

it('twmd doctor advises chmod for a state file that other users may read', () =>
  reported(
    'state',
    /mode 644.*chmod 600/,
    () => chmodSync(folder.stateDb, 0o644),
    () => chmodSync(folder.stateDb, 0o600),
  ))

it('twmd doctor advises chmod for a secrets file that other users may read', () => {
  const file = join(folder.dir, 'secrets.json')
  return reported(
    'secrets',
    /secrets\.json \(mode 640\).*chmod 600/,
    () => writeFileSync(file, '{}', { mode: 0o640 }),
    () => rmSync(file),
  )
})

it('twmd doctor reports a truncated state file as damaged', async () => {
  const [backup, file] = [readFileSync(folder.stateDb), folder.stateDb]
  await reported(
    'state',
    /^The file is (damaged|not a complete twmd state file).*Restore an intact backup/,
    () => truncateSync(file, 8_192),
    () => writeFileSync(file, backup, { mode: 0o600 }),
  )
})

it.each(['KEY_PEPPER', 'KEY_ENCRYPTION_KEY'] as const)(
  'twmd doctor and the service refuse a %s that does not match the state file, and their error names secrets.json',
  async name => {
    const { code, wrong } = await examined({ [name]: Buffer.alloc(32, 1).toString('base64') })
    expect([code, wrong]).toEqual([
      1,
      [['state', expect.stringMatching(new RegExp(`^${name} is not the value with.*restore secrets\\.json`))]],
    ])
    const secrets = { ...SECRETS, [name]: Buffer.alloc(32, 1).toString('base64') }
    expect(() => openControl({ stateDb: folder.stateDb }, secrets)).toThrow(wrong[0]![1])
  },
)

it('twmd doctor reports an unreachable mail server and names MAIL_URL', async () => {
  const closed = createServer().listen(0, '127.0.0.1')
  await new Promise(resolve => closed.once('listening', resolve))
  const { port } = closed.address() as { port: number }
  await new Promise(resolve => closed.close(resolve))
  const { code, wrong } = await examined({ MAIL_URL: `smtp://127.0.0.1:${port}` })
  expect([code, wrong]).toEqual([1, [['mail', expect.stringMatching(/MAIL_URL does not respond .*sign-in codes stay in the outbox/)]]])
  expect(await examined({ MAIL_URL: `file://${folder.dir}/mail` })).toMatchObject(WELL)
})

it('twmd doctor advises restoring an unreadable secrets file', async () => {
  const dir = join(folder.dir, 'unreadable')
  mkdirSync(dir)
  writeFileSync(join(dir, 'secrets.json'), '{')
  // The file is read only for variables that the environment does not set.
  const { code, wrong } = await examined({ ...Object.fromEntries(Object.keys(SECRETS).map(name => [name, ''])) }, dir)
  expect([code, wrong]).toEqual([1, [['secrets', expect.stringContaining('Restore it from a backup')]]])
})

const SLUG = 'securities-firm-master'
const partOf = (release: string): string => {
  const paths = releasePaths(join(folder.dir, 'releases'), SLUG)
  return paths.part(JSON.parse(readFileSync(paths.manifest(release), 'utf8')).parts[0].sha256)
}
const served = (): string => readFileSync(releasePaths(join(folder.dir, 'releases'), SLUG).current, 'utf8').trim()

function flip(file: string): void {
  const bytes = readFileSync(file)
  bytes[bytes.length >> 1]! ^= 1
  chmodSync(file, 0o600)
  writeFileSync(file, bytes)
}

it('twmd doctor reports a flipped bit in the only release and advises restoring or ingesting the data', () => {
  const part = partOf(served())
  return reported(
    'releases',
    new RegExp(
      `No release on disk is intact: ${SLUG}\\. Run twmd releases verify <dataset>\\. Restore the files .* ingest all source files again`,
    ),
    () => flip(part),
    () => flip(part),
  )
})

it('twmd doctor states that the releases on disk are intact and refers to /readyz for the loaded releases', async () => {
  const { findings } = await examined()
  expect(findings.find(({ check }) => check === 'releases')!.said).toMatch(/^\d+ of \d+ datasets on disk, all parts intact.*\/readyz/)
})

it('twmd doctor reports a missing part of the only release', () => {
  const part = partOf(served())
  return reported(
    'releases',
    /No release on disk is intact/,
    () => renameSync(part, `${part}.away`),
    () => renameSync(`${part}.away`, part),
  )
})

it('twmd doctor reports a damaged newest release even if an older release is intact', async () => {
  const workspace = await openTestWorkspace(folder.dir)
  const firms = (await loadCatalog()).get(SLUG)!
  const renamed = firms.example.map(row => ({ ...row, broker_name: `${row['broker_name']}二` }))
  expect(await publishRows(workspace, folder.dir, firms, renamed)).toMatchObject({ status: 'published' })
  workspace.close()
  const part = partOf(served())
  await reported(
    'releases',
    new RegExp(`The newest release on disk is damaged, an older one is intact: ${SLUG}\\. Run twmd releases verify <dataset>\\. Restore`),
    () => flip(part),
    () => flip(part),
  )
})
