import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { runTwmd } from '../fixtures/cli/in-process.ts'
import { ended, type Ran, startTwmd } from '../fixtures/cli/twmd.ts'
import { trade, weekdays } from '../fixtures/publish/rows.ts'
import { service } from '../support.ts'

const LAST = weekdays('2026-01-05', 40).at(-1)!
const SLUG = 'institutional-positioning'

let now = new Date('2026-07-01T12:00:00Z')
const s = await service({ examples: false, now: () => now })
const key = s.keyOn('pro', 'cli@example.test')
let url = ''
beforeAll(async () => {
  expect((await s.publish(SLUG, [trade('2330', LAST, 5_000)], { accept: ['closed_day'] })).faults).toEqual([])
  url = await s.app.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(() => s.close())

/** Runs a command as a user with a key but without access to the data folder. */
const run = (args: readonly string[], more: Readonly<Record<string, string>> = {}): Promise<Ran> =>
  runTwmd(join(s.dir, 'nowhere'), args, { TWMD_URL: url, TWMD_API_KEY: key, ...more })
const publish = async (minute: number): Promise<void> => {
  now = new Date(Date.UTC(2026, 6, 1, 13, minute))
  await s.publish(SLUG, [trade('2330', LAST, minute)], { accept: ['closed_day', 'row_count_drift'] })
}

it('twmd tail prints publications as they appear, needs no key and resumes after its cursor', async () => {
  const cursor = join(s.dir, 'cursor.json')
  const args = ['tail', '--every', '1', '--cursor-file', cursor]
  const child = startTwmd(join(s.dir, 'nowhere'), args, { TWMD_URL: url })
  const ran = ended(child)
  let heard = ''
  child.stdout!.on('data', bytes => (heard += bytes))
  await vi.waitUntil(() => existsSync(cursor), { timeout: 60_000 })
  await publish(1)
  await vi.waitUntil(() => heard.includes('\n'), { timeout: 60_000 })
  const [{ release_version: first }] = (await s.get('/v2/updates?published_since=2026-01-01&limit=1')).json().data
  expect(heard).toBe(`2026-07-01 21:01:00  ${SLUG}  revision  +0 ~1 -0  ${LAST}  ${first}\n`)
  await vi.waitUntil(() => readFileSync(cursor, 'utf8').includes(first), { timeout: 60_000 })
  child.kill('SIGTERM')
  await ran

  await publish(2)
  now = new Date(Date.UTC(2026, 6, 1, 13, 3))
  await s.publish('bond-yield-curve', s.dataset('bond-yield-curve').example)
  const again = await run(['tail', '--once', '--cursor-file', cursor, '--json', '--dataset', SLUG], { TWMD_API_KEY: '' })
  expect(
    again.stdout
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line)),
  ).toMatchObject([{ previous_release_version: first, slug: SLUG }])
  expect(await run(['tail', '--once', '--cursor-file', cursor])).toEqual({ code: 0, stdout: '', stderr: '' })
  const since = await run(['tail', '--once', '--since', '2026-07-01T13:02:00Z'])
  expect(
    since.stdout
      .trimEnd()
      .split('\n')
      .map(line => line.split('  ')[1]),
  ).toEqual([SLUG, 'bond-yield-curve'])
})

/**
 * Replaces libsecret's program: stores the secret from standard input in a file named after the
 * attributes.
 */
const STORE = `#!/bin/sh
command=$1; shift
[ "$1" = --label ] && shift 2
file="$SECRETS/$(echo "$*" | tr -c 'a-z0-9\\n' _)"
case $command in
  store) cat > "$file" ;;
  lookup) cat "$file" 2>/dev/null ;;
  clear) rm -f "$file" ;;
esac
`
/** Runs `twmd login` with a key on standard input. */
const login = async (text: string, env: Readonly<Record<string, string>>): Promise<Ran> => {
  const child = startTwmd(join(s.dir, 'nowhere'), ['login'], env, 'pipe')
  child.stdin!.end(text)
  return ended(child)
}

it.runIf(process.platform === 'linux')(
  'twmd login stores a valid key in the key store, later commands use it and twmd logout removes it',
  async () => {
    const [bin, secrets] = [join(s.dir, 'bin'), join(s.dir, 'secrets')]
    for (const folder of [bin, secrets]) mkdirSync(folder)
    writeFileSync(join(bin, 'secret-tool'), STORE)
    chmodSync(join(bin, 'secret-tool'), 0o755)
    const env = { TWMD_URL: url, TWMD_API_KEY: '', SECRETS: secrets, PATH: `${bin}:${process.env['PATH']}` }

    const without = await run(['search', '2330'], env)
    expect([without.code, without.stderr]).toEqual([1, expect.stringContaining('twmd login')])
    const wrong = await login('sk_live_00000000000000000000000000000000000000\n', env)
    expect([wrong.code, readdirSync(secrets)]).toEqual([1, []])
    expect(await login(`${key}\n`, env)).toEqual({
      code: 0,
      stdout: `Stored the key of ${url} (plan pro). twmd logout removes it.\n`,
      stderr: '',
    })
    expect((await run(['search', '2330'], env)).stdout).toMatch(/^symbol +2330 /m)
    expect((await run(['logout'], env)).stdout).toBe(`Removed the key of ${url} from the key store.\n`)
    expect(readdirSync(secrets)).toEqual([])
  },
)

it.runIf(process.platform === 'linux')('twmd login names the alternatives when there is no key store', async () => {
  const env = { TWMD_URL: url, PATH: join(s.dir, 'nothing') }
  const ran = await login(`${key}\n`, env)
  expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining('secret-tool is not installed). Set TWMD_API_KEY')])
})
