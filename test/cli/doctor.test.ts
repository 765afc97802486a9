import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadCatalog } from '../../catalog/index.ts'
import { releasePaths } from '../../src/releases/index.ts'
import { type Folder, preparedFolder } from '../accounts/state/folder.ts'
import { serving } from '../fixtures/cli/twmd.ts'
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

/** Runs the doctor. @returns the exit code, what it found wrong, and all it found */
async function examined(environment: Readonly<Record<string, string>> = {}, dir = folder.dir) {
  const { code, stdout } = await folder.run(['doctor', '--json'], environment, dir)
  const findings = JSON.parse(stdout) as readonly Finding[]
  return { code, wrong: findings.filter(({ ok }) => !ok).map(({ check, said }) => [check, said]), findings }
}

const WELL = { code: 0, wrong: [] }

/** Holds that one thing is wrong, that the doctor says so, and that all is well once it is put right. */
async function mended(check: string, message: RegExp, spoil: () => void, mend: () => void): Promise<void> {
  spoil()
  expect(await examined()).toMatchObject({ code: 1, wrong: [[check, expect.stringMatching(message)]] })
  mend()
  expect(await examined()).toMatchObject(WELL)
}

describe('twmd doctor on the state', () => {
  it('finds nothing wrong with a healthy folder, in words and as JSON', async () => {
    const { findings, ...well } = await examined()
    expect(well).toEqual(WELL)
    expect(findings.map(({ check }) => check)).toEqual(['configuration', 'secrets', 'state', 'releases', 'tables', 'disk', 'mail'])
    const { code, stdout, stderr } = await folder.run(['doctor'])
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout.trimEnd().split('\n')).toEqual(findings.map(({ check }) => expect.stringMatching(new RegExp(`^ok +${check} +\\S`))))
    expect(stdout).toContain('2 accounts, 2 active keys')
  })

  it('finds nothing wrong with an empty folder, and creates no state file', async () => {
    const empty = join(folder.dir, 'empty')
    expect(await examined({}, empty)).toMatchObject(WELL)
    expect(existsSync(join(empty, 'state.sqlite'))).toBe(false)
  })

  it('in production on a loopback address without TRUST_PROXY says what a proxy in front needs', async () => {
    const production = { NODE_ENV: 'production', KEY_PEPPER: 'p'.repeat(32), MAIL_URL: `file://${folder.dir}/mail` }
    const said = async (environment: Readonly<Record<string, string>>): Promise<string> =>
      (await examined({ ...production, ...environment })).findings.find(({ check }) => check === 'configuration')!.said
    expect(await said({})).toMatch(/^production, .*TRUST_PROXY is not set while HOST is 127\.0\.0\.1: .*until TRUST_PROXY names the proxy$/)
    for (const environment of [{ TRUST_PROXY: '127.0.0.1' }, { HOST: '0.0.0.0' }])
      expect(await said(environment)).not.toContain('TRUST_PROXY')
  })

  it('names the process that serves from the state file, while one does', async () => {
    const { child, stop } = await serving(folder.dir, 'serve', SECRETS)
    const stated = async () => (await examined()).findings.find(({ check }) => check === 'state')!.said
    expect(await stated()).toContain(`served by process ${child.pid}`)
    expect(await stop()).toBe(0)
    expect(await stated()).not.toContain('served')
  })

  it('on a state file that others may read advises chmod', () =>
    mended(
      'state',
      /mode 644.*chmod 600/,
      () => chmodSync(folder.stateDb, 0o644),
      () => chmodSync(folder.stateDb, 0o600),
    ))

  it('on a secrets file that others may read advises chmod', () => {
    const file = join(folder.dir, 'secrets.json')
    return mended(
      'secrets',
      /secrets\.json \(mode 640\).*chmod 600/,
      () => writeFileSync(file, '{}', { mode: 0o640 }),
      () => rmSync(file),
    )
  })

  it('on a state file that is not whole reports damage', async () => {
    const [kept, file] = [readFileSync(folder.stateDb), folder.stateDb]
    await mended(
      'state',
      /^The file is (damaged|not a whole state file).*restore a backup/,
      () => truncateSync(file, 8_192),
      () => writeFileSync(file, kept, { mode: 0o600 }),
    )
  })

  it.each(['KEY_PEPPER', 'KEY_ENCRYPTION_KEY'] as const)(
    'on a %s that is not the state file’s names it and where to find the right one',
    async name => {
      const { code, wrong } = await examined({ [name]: Buffer.alloc(32, 1).toString('base64') })
      expect([code, wrong]).toEqual([1, [['state', expect.stringMatching(new RegExp(`^${name} is not the one.*restore secrets\\.json`))]]])
      const started = await folder.run(['serve'], { PORT: '0', [name]: Buffer.alloc(32, 1).toString('base64') })
      expect([started.code === 0, started.stderr.trim()]).toEqual([false, wrong[0]![1]])
    },
  )

  it('on a mail server that cannot be reached advises to check MAIL_URL', async () => {
    const closed = createServer().listen(0, '127.0.0.1')
    await new Promise(resolve => closed.once('listening', resolve))
    const { port } = closed.address() as { port: number }
    await new Promise(resolve => closed.close(resolve))
    const { code, wrong } = await examined({ MAIL_URL: `smtp://127.0.0.1:${port}` })
    expect([code, wrong]).toEqual([1, [['mail', expect.stringMatching(/MAIL_URL does not answer .*sign-in codes wait in the outbox/)]]])
    expect(await examined({ MAIL_URL: `file://${folder.dir}/mail` })).toMatchObject(WELL)
  })

  it('on secrets that cannot be read advises to restore them', async () => {
    const dir = join(folder.dir, 'unreadable')
    mkdirSync(dir)
    writeFileSync(join(dir, 'secrets.json'), '{')
    // Only where the environment does not set them is the file asked.
    const { code, wrong } = await examined({ ...Object.fromEntries(Object.keys(SECRETS).map(name => [name, ''])) }, dir)
    expect([code, wrong]).toEqual([1, [['secrets', expect.stringContaining('restore it from a backup')]]])
  })
})

describe('twmd doctor on releases', () => {
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

  it('with a flipped bit and no older release advises to restore it or ingest anew', () => {
    const part = partOf(served())
    return mended(
      'releases',
      new RegExp(`No release on disk passes its check: ${SLUG}\\. Run twmd releases verify <dataset>, put the files .* ingest them anew`),
      () => flip(part),
      () => flip(part),
    )
  })

  it('that are all whole says so of the disk, which is not what a service has loaded', async () => {
    const { findings } = await examined()
    expect(findings.find(({ check }) => check === 'releases')!.said).toMatch(/^on disk \d+ of \d+ datasets, every part whole.*\/readyz/)
  })

  it('with a part that is gone advises the same', () => {
    const part = partOf(served())
    return mended(
      'releases',
      /No release on disk passes its check/,
      () => renameSync(part, `${part}.away`),
      () => renameSync(`${part}.away`, part),
    )
  })

  it('of which the newest is damaged while an older one is served advises the same', async () => {
    const workspace = await openTestWorkspace(folder.dir)
    const firms = (await loadCatalog()).get(SLUG)!
    const renamed = firms.example.map(row => ({ ...row, broker_name: `${row['broker_name']}二` }))
    expect(await publishRows(workspace, folder.dir, firms, renamed)).toMatchObject({ status: 'published' })
    workspace.close()
    const part = partOf(served())
    await mended(
      'releases',
      new RegExp(`The newest release on disk is damaged, an older one is whole: ${SLUG}\\. Run twmd releases verify <dataset>, put`),
      () => flip(part),
      () => flip(part),
    )
  })
})
