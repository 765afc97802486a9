import { createInterface } from 'node:readline'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ended, startTwmd } from '../../fixtures/cli/twmd.ts'
import { dataFolder } from '../../support.ts'
import { both, made, type Secrets } from './secrets.ts'

let folder: Awaited<ReturnType<typeof dataFolder>>
beforeEach(async () => {
  folder = await dataFolder()
})
afterEach(() => folder.remove())

const run = (secrets: Readonly<Record<string, string>>, ...args: readonly string[]) => ended(startTwmd(folder.dir, args, secrets))

async function createKey(secrets: Partial<Secrets>, email = 'analyst@example.test'): Promise<string> {
  const { code, stdout, stderr } = await run(secrets, 'keys', 'create', '--email', email, '--plan', 'max', '--json')
  expect(code, stderr).toBe(0)
  return JSON.parse(stdout).api_key
}

/** `twmd serve` in a separate process. Resolves when it listens. */
async function serve(secrets: Secrets) {
  const child = startTwmd(folder.dir, ['serve'], { ...secrets, PORT: '0' })
  const ending = ended(child)
  for await (const record of createInterface({ input: child.stdout! })) {
    const { event, url } = JSON.parse(record)
    if (event !== 'listening') continue
    return {
      url: url as string,
      async stop() {
        child.kill('SIGTERM')
        expect((await ending).code).toBe(0)
      },
    }
  }
  throw new Error((await ending).stderr)
}

const statusWith = async (url: string, key: string): Promise<number> =>
  (await fetch(`${url}/v2/account/entitlements`, { headers: { 'x-api-key': key } })).status

describe('twmd keys rotate', () => {
  it('K9: a service under load refuses no request during twmd keys rotate, and needs only the new secrets afterwards', async () => {
    const [former, next] = [made(), made()]
    const keys = await Promise.all(['a', 'b', 'c'].map(name => createKey(former, `${name}@example.test`)))
    const service = await serve(both(next, former))
    let rotated = false
    const statuses: number[] = []
    const during: number[] = []
    const asking = Array.from({ length: 6 }, async (_, index) => {
      while (!rotated || statuses.length < 100) {
        const running = !rotated
        const status = await statusWith(service.url, keys[index % keys.length]!)
        statuses.push(status)
        if (running && !rotated) during.push(status)
      }
    })
    const rotation = await run(both(next, former), 'keys', 'rotate')
    rotated = true
    await Promise.all(asking)
    expect(rotation).toMatchObject({ code: 0, stdout: expect.stringMatching(/^3 keys are encrypted with the new secrets\./) })
    expect(during.length).toBeGreaterThan(0)
    expect(statuses.filter(status => status !== 200)).toEqual([])
    await service.stop()

    const renewed = await serve(next)
    for (const key of keys) expect(await statusWith(renewed.url, key)).toBe(200)
    await renewed.stop()
    const refusal = await run(former, 'serve')
    expect(refusal.code).not.toBe(0)
    expect(refusal.stderr).toMatch(/^KEY_PEPPER is not the value with/)
  })

  it.each(['KEY_PEPPER', 'KEY_ENCRYPTION_KEY'] as const)(
    'K9: twmd keys rotate can rotate %s alone, and twmd doctor reports the former value',
    async name => {
      const former = made()
      const next = { ...former, [name]: made()[name] }
      const key = await createKey(former)
      expect((await run({ ...former, [name]: both(next, former)[name] }, 'keys', 'rotate')).code).toBe(0)
      const service = await serve(next)
      expect(await statusWith(service.url, key)).toBe(200)
      await service.stop()
      expect((await run(former, 'doctor')).stdout).toContain(`${name} is not the value with which this state file was created`)
    },
  )

  it('K9: twmd keys rotate fails if the former secrets are not set', async () => {
    const [former, next] = [made(), made()]
    const key = await createKey(former)
    const { code, stderr } = await run(next, 'keys', 'rotate')
    expect(code).not.toBe(0)
    expect(stderr).toMatch(/^KEY_PEPPER is not the value with/)
    const service = await serve(former)
    expect(await statusWith(service.url, key)).toBe(200)
    await service.stop()
  })
})

describe('commands with wrong secrets', () => {
  it.each(['KEY_PEPPER', 'KEY_ENCRYPTION_KEY'] as const)(
    'K7: commands with a wrong %s exit with code 2 and name the variable but not its value',
    async name => {
      const right = made()
      const wrong = { ...right, [name]: made()[name] }
      const key = await createKey(right)
      for (const command of [['serve'], ['keys', 'rotate'], ['keys', 'create', '--email', 'b@example.test', '--plan', 'free']]) {
        const { code, stdout, stderr } = await run({ ...wrong, PORT: '0' } as Secrets, ...command)
        expect(code, command.join(' ')).toBe(2)
        expect(stderr).toMatch(new RegExp(`^${name} is not the value with which this state file was created`))
        for (const value of [...Object.values(wrong), ...Object.values(right)]) expect(stdout + stderr).not.toContain(value)
      }
      const service = await serve(right)
      expect(await statusWith(service.url, key)).toBe(200)
      await service.stop()
    },
  )
})
