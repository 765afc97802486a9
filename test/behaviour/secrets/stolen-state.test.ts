import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openControl } from '../../../src/control/index.ts'
import { backupState } from '../../../src/state/index.ts'
import { type Portal, portal } from '../../accounts/portal.ts'
import { SECRETS } from '../../support.ts'

let p: Portal
beforeAll(async () => {
  p = await portal()
  for (const slug of ['theme-taxonomy', 'bond-yield-curve']) await p.publish(slug, p.dataset(slug).example)
  const admin = { authorization: `Bearer ${SECRETS.ADMIN_TOKEN}` }
  const owner = await p.signIn('owner@example.test')
  const { key_id } = (await p.as(owner, 'POST', 'api-keys', { name: 'second' })).json()
  await p.as(owner, 'GET', `api-keys/${key_id}/reveal`)
  await p.as(owner, 'POST', `api-keys/${key_id}/revoke`)
  const key = (await p.send('POST', '/v2/admin/grant-plan', admin, { email: 'owner@example.test', plan_id: 'max' })).json().api_key.api_key
  for (const url of ['/v2/datasets/theme-taxonomy', '/v2/datasets/bond-yield-curve?symbol=TWGB', `/v2/search?api_key=${key}`])
    await p.send('GET', url, { 'x-api-key': key })
  const gone = await p.signIn('gone@example.test')
  await p.as(gone, 'DELETE', 'account')
  // One mailed code that is never used, and one with failed attempts.
  await p.start('waiting@example.test')
  await p.codeFor('waiting@example.test')
  const { flow_id } = (await p.start('guessed@example.test')).json()
  await p.codeFor('guessed@example.test')
  await p.complete(flow_id, '00000000')
})
afterAll(() => p.close())

/** Forms in which a stolen file could contain a secret. */
const spellings = (secret: string): readonly string[] => {
  const bare = secret.replace(/^(sk_live|sst)_/, '')
  const bytes = [secret, bare].map(text => Buffer.from(text))
  return [
    bare,
    [...bare].join('\0'),
    ...bytes.flatMap(text => [text.toString('hex'), text.toString('hex').toUpperCase()]),
    // Base64 depends on the offset in the surrounding text, so all three offsets are searched. The
    // ends are cut off, because they depend on adjacent bytes.
    ...[0, 1, 2].map(offset => Buffer.from(bare).subarray(offset).toString('base64').slice(0, -4)),
    [...bare].reverse().join(''),
  ]
}

describe('K8: a stolen state file', () => {
  it('K8: a stolen state file shows the e-mail address, which is not a secret', () => {
    expect(p.stolen()).toContain('owner@example.test')
    expect(p.secrets.size).toBeGreaterThanOrEqual(8)
  })

  it('K8: a stolen state file, its log and its backup contain no key, code or token', async () => {
    await backupState(`${p.dir}/state.sqlite`, `${p.dir}/backup.sqlite`)
    const files = { state: p.stolen(), backup: readFileSync(`${p.dir}/backup.sqlite`, 'latin1') }
    expect(files.backup).toContain('owner@example.test')
    for (const [file, bytes] of Object.entries(files))
      for (const secret of [...p.secrets, ...Object.values(SECRETS)])
        for (const spelling of spellings(secret)) expect(bytes.includes(spelling), `${secret.slice(0, 4)}… in ${file}`).toBe(false)
  })

  it('K8: sealed copies do not open without the configured secrets', async () => {
    const open = (changed: Partial<typeof SECRETS>) => openControl({ stateDb: `${p.dir}/state.sqlite` }, { ...SECRETS, ...changed })
    expect(() => open({ KEY_PEPPER: 'guessed' })).toThrow(/^KEY_PEPPER is not/)
    expect(() => open({ KEY_ENCRYPTION_KEY: Buffer.alloc(32, 8).toString('base64') })).toThrow(/^KEY_ENCRYPTION_KEY is not/)
    open({}).close()
  })
})

it('S5: no log line contains a key, code or token of the run', () => expect(p.leaked()).toEqual([]))
