import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readEmail } from '../../../src/accounts/index.ts'
import { openControl, rotateVault } from '../../../src/control/index.ts'
import { readConfig } from '../../../src/core/index.ts'
import { ended, startTwmd } from '../../fixtures/cli/twmd.ts'
import { dataFolder, NOW } from '../../support.ts'
import { both, made, type Secrets } from './secrets.ts'

let folder: Awaited<ReturnType<typeof dataFolder>>
beforeEach(async () => {
  folder = await dataFolder()
})
afterEach(() => folder.remove())

/** Opens the state file with these secrets. */
function opened<T>(secrets: Secrets, work: (control: ReturnType<typeof openControl>) => T): T {
  const control = openControl({ stateDb: `${folder.dir}/state.sqlite` }, secrets)
  try {
    return work(control)
  } finally {
    control.close()
  }
}
const createKey = (secrets: Secrets): string =>
  opened(secrets, ({ accounts, keys }) => keys.issue(accounts.ensure(readEmail('owner@example.test')!, NOW).id, 'test', NOW).secret)
const statusOf = (secrets: Secrets, key: string) => opened(secrets, ({ keys }) => keys.find(key, NOW)?.status)
const rotate = (secrets: Secrets): number => opened(secrets, ({ db, vault }) => rotateVault(db, vault))

describe('secret rotation', () => {
  it('K9: twmd keys rotate encrypts every key again, after which the new secrets suffice and the former secrets are refused', async () => {
    const [former, next] = [made(), made()]
    const key = createKey(former)
    const rotation = await ended(startTwmd(folder.dir, ['keys', 'rotate'], both(next, former)))
    expect(rotation).toMatchObject({ code: 0, stdout: expect.stringMatching(/^1 keys are encrypted with the new secrets\./) })
    expect(statusOf(next, key)).toBe('active')
    expect(() => opened(former, () => {})).toThrow(/^KEY_PEPPER is not the value with/)
  })

  it('K9: the pepper and the encryption key can each be rotated alone', () => {
    let current = made()
    const key = createKey(current)
    for (const name of ['KEY_PEPPER', 'KEY_ENCRYPTION_KEY'] as const) {
      const former = current
      current = { ...former, [name]: made()[name] }
      const pair = { ...former, [name]: both(current, former)[name] }
      expect.soft(statusOf(pair, key), `${name} before the rotation`).toBe('active')
      expect.soft(rotate(pair), `keys resealed for ${name}`).toBe(1)
      expect.soft(statusOf(current, key), `${name} after the rotation`).toBe('active')
      expect.soft(() => opened(former, () => {}), name).toThrow(`${name} is not the value with which this state file was created`)
    }
  })

  it('K9: a rotation can be repeated, and a rotation to further secrets still succeeds', () => {
    const [first, second, third] = [made(), made(), made()]
    const key = createKey(first)
    for (const secrets of [both(second, first), both(second, first), both(third, second)]) expect(rotate(secrets)).toBe(1)
    expect(statusOf(third, key)).toBe('active')
  })
})

describe('wrong secrets', () => {
  it('K7: a state file opened with other secrets is refused, and the error names the variable without its value', () => {
    const right = made()
    const key = createKey(right)
    for (const name of ['KEY_PEPPER', 'KEY_ENCRYPTION_KEY'] as const) {
      const wrong = { ...right, [name]: made()[name] }
      const error = (() => {
        try {
          return opened(wrong, () => new Error('opened'))
        } catch (thrown) {
          return thrown as Error
        }
      })()
      expect.soft(error.message, name).toMatch(new RegExp(`^${name} is not the value with which this state file was created`))
      for (const value of [...Object.values(wrong), ...Object.values(right)]) expect.soft(error.message, name).not.toContain(value)
    }
    expect(statusOf(right, key)).toBe('active')
  })

  it('K7: the error for a malformed secret names its variable', () => {
    const refusalOf = (env: Record<string, string>): string => {
      try {
        readConfig(env)
        return 'accepted'
      } catch (error) {
        return (error as Error).message
      }
    }
    for (const value of ['short', Buffer.alloc(31).toString('base64'), `${Buffer.alloc(32).toString('base64')},`])
      expect
        .soft(refusalOf({ KEY_ENCRYPTION_KEY: value }), `KEY_ENCRYPTION_KEY=${value}`)
        .toMatch(/^KEY_ENCRYPTION_KEY: must be 32 bytes in base64/)
    for (const name of ['KEY_PEPPER', 'FILE_SIGNING_SECRET'])
      for (const value of ['one,', ',one', 'one, ,two'])
        expect.soft(refusalOf({ [name]: value }), `${name}=${value}`).toBe(`${name}: must not have an empty value between commas`)
  })

  it('K7: production refuses a rotated secret that equals another secret', () => {
    const secret = (letter: string): string => letter.repeat(32)
    const names = ['SERVICE_TOKEN', 'ADMIN_TOKEN', 'DIAGNOSTICS_SECRET', 'DIAGNOSTICS_PROBE', 'FILE_SIGNING_SECRET'] as const
    const tokens = Object.fromEntries(names.map((name, index) => [name, secret(String(index))]))
    const env = (former: string) => ({
      NODE_ENV: 'production',
      MAIL_URL: 'smtp://127.0.0.1',
      ...tokens,
      KEY_PEPPER: `${secret('p')},${former}`,
      KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    })
    expect(() => readConfig(env(tokens['ADMIN_TOKEN']!))).toThrow(/^In production, every secret must be different$/)
    expect(() => readConfig(env(secret('q')))).not.toThrow()
  })
})
