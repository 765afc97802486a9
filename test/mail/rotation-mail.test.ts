import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Control, openControl, rotateVault } from '../../src/control/index.ts'
import { createLog } from '../../src/core/index.ts'
import { openMailer, openTransport } from '../../src/mail/index.ts'
import { type Portal, portal } from '../accounts/portal.ts'
import { SECRETS } from '../support.ts'

let p: Portal
beforeEach(async () => {
  p = await portal()
})
afterEach(() => p.close())

const next = { KEY_PEPPER: 'pepper-after-rotation', KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64') }

/** Another process with the same state file and other secrets. */
async function withOtherSecrets<T>(
  secrets: Pick<typeof SECRETS, 'KEY_PEPPER' | 'KEY_ENCRYPTION_KEY'>,
  work: (control: Control) => T,
): Promise<Awaited<T>> {
  const control = openControl({ stateDb: `${p.dir}/state.sqlite` }, secrets)
  try {
    return await work(control)
  } finally {
    control.close()
  }
}

async function deliverFrom({ outbox }: Control): Promise<string> {
  const mailer = openMailer(outbox, openTransport(p.post.url, 'x@twmd.test'), p.now, createLog('silent'), 86_400_000)
  await mailer.sendDue()
  await mailer.close()
  return /\d{8}/.exec(p.post.mails[0]!.text)![0]
}

it('K9: if a mail is queued before the encryption key is rotated, it is sent with only the new key, and its code works', async () => {
  const { flow_id } = (await p.start('someone@example.test')).json()
  const key = next.KEY_ENCRYPTION_KEY
  await withOtherSecrets({ ...SECRETS, KEY_ENCRYPTION_KEY: `${key},${SECRETS.KEY_ENCRYPTION_KEY}` }, ({ db, vault }) =>
    rotateVault(db, vault),
  )
  const email = await withOtherSecrets({ ...SECRETS, KEY_ENCRYPTION_KEY: key }, async control =>
    control.onboarding.complete(flow_id, await deliverFrom(control), p.now()),
  )
  expect(email).toBe('someone@example.test')
})

it('K9: a code mailed under the former pepper works while both peppers are set', async () => {
  const { flow_id } = (await p.start('someone@example.test')).json()
  const code = await p.codeFor('someone@example.test')
  const both = { ...SECRETS, KEY_PEPPER: `${next.KEY_PEPPER},${SECRETS.KEY_PEPPER}` }
  await withOtherSecrets(both, control => {
    expect(control.onboarding.complete(flow_id, '00000000', p.now())).toBeUndefined()
    expect(control.onboarding.complete(flow_id, code, p.now())).toBe('someone@example.test')
  })
})

it('K9: a rotation that cannot open a sealed key changes nothing', async () => {
  const owner = await p.signIn('owner@example.test')
  await p.as(owner, 'POST', 'api-keys')
  p.tamper('UPDATE api_key SET sealed = zeroblob(78) WHERE id = (SELECT max(id) FROM api_key)')
  const before = p.rows('SELECT * FROM api_key ORDER BY id')
  const secrets = {
    KEY_PEPPER: `${next.KEY_PEPPER},${SECRETS.KEY_PEPPER}`,
    KEY_ENCRYPTION_KEY: `${next.KEY_ENCRYPTION_KEY},${SECRETS.KEY_ENCRYPTION_KEY}`,
  }
  await withOtherSecrets(secrets, ({ db, vault }) => expect(() => rotateVault(db, vault)).toThrow('encrypted with another key'))
  expect(p.rows('SELECT * FROM api_key ORDER BY id')).toEqual(before)
  await withOtherSecrets(SECRETS, ({ keys }) => expect(keys.find(owner.apiKey!.api_key, p.now())?.status).toBe('active'))
})
