import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { taipei } from '../../../src/core/index.ts'
import { ended, startTwmd, twmd } from '../../fixtures/cli/twmd.ts'
import { dataFolder, SECRETS } from '../../support.ts'
import { type Hooks, hooks } from './hooks.ts'

let h: Hooks
beforeEach(async () => {
  h = await hooks()
})
afterEach(() => h.close())

const { KEY_PEPPER, KEY_ENCRYPTION_KEY } = SECRETS
/** The command on the state file of the running service. */
const webhooks = (...args: readonly string[]) => ended(startTwmd(h.dir, ['webhooks', ...args], { KEY_PEPPER, KEY_ENCRYPTION_KEY }))
/** What it prints as JSON. */
async function told(...args: readonly string[]) {
  const { code, stdout, stderr } = await webhooks(...args, '--json')
  expect([code, stderr]).toEqual([0, ''])
  return JSON.parse(stdout)
}
/** The command has the time of day, and the service's clock stands still: the later one is waited for. */
const catchUp = (): void => h.pass(Math.max(0, (Date.now() - h.now().getTime()) / 60_000) + 1)

describe('the operator, beside a running service', () => {
  it('lists the endpoints of all accounts, those that fail first, without what addresses may hold', async () => {
    const other = await h.signIn('other@example.test')
    const failing = await h.endpoint({ url: `${h.receiver.url}/planted-path?token=planted-token` })
    const taking = await h.endpoint({ url: `${h.receiver.url}/b` }, other)
    h.receiver.answers(response => void response.writeHead(500).end())
    await h.of(failing, 'POST', 'test')
    await h.sendDue()
    const found = await told('list')
    expect(found).toMatchObject([
      {
        webhook_id: failing.webhook_id,
        ...{ account_id: h.owner.accountId, email: 'owner@example.test', url: `${h.receiver.url}/planted-path`, status: 'enabled' },
        ...{ disabled_reason: null, failing_since: '2026-07-01T20:00:00.000+08:00', waiting: 1 },
      },
      { webhook_id: taking.webhook_id, email: 'other@example.test', failing_since: null, waiting: 0, next_at: null },
    ])
    expect(JSON.stringify(found)).not.toContain('planted-token')
    expect((await told('list', '--failing')).map((one: { webhook_id: string }) => one.webhook_id)).toEqual([failing.webhook_id])
    const { stdout } = await webhooks('list')
    expect(stdout.split('\n')[1]!.trim().split(/ +/)).toEqual(['Taipei', 'Taipei'])
    expect(stdout.split('\n')[2]).toMatch(`${failing.webhook_id}  owner@example.test  enabled  2026-07-01 20:00`)
    expect(stdout).toContain(new URL(h.receiver.url).host)
    expect(stdout).not.toContain('planted')
  })

  it('sees what was sent to one and what came back, and sends it again', async () => {
    const endpoint = await h.endpoint()
    h.receiver.answers(response => void response.writeHead(503).end())
    const { message_id: id } = (await h.of(endpoint, 'POST', 'test')).json()
    await h.sendDue()
    expect(await told('deliveries', endpoint.webhook_id)).toMatchObject([
      { message_id: id, type: 'webhook.test', status: 'waiting', attempts: [{ status: 503, error: null }] },
    ])
    expect(await told('deliveries', endpoint.webhook_id, '--state', 'delivered')).toEqual([])
    h.receiver.answers(response => void response.end())
    h.pass(60)
    await h.sendDue()
    h.receiver.taken()
    expect(await told('resend', endpoint.webhook_id, id)).toEqual({ webhook_id: endpoint.webhook_id, resent: 1 })
    catchUp()
    await h.sendDue()
    expect(h.receiver.taken().map(message => message.id)).toEqual([id])
    const { stdout } = await webhooks('deliveries', endpoint.webhook_id)
    expect(stdout.split('\n')[1]!.trim().split(/ +/)).toEqual(['Taipei', 'Taipei', 'Taipei'])
    expect(stdout.split('\n')[2]).toMatch(new RegExp(`^${id}  webhook.test  2026-07-01 20:00  delivered +3 +\\S+ \\S+: 200`))
    expect(h.rows("SELECT actor, target FROM audit_log WHERE action = 'webhook resent'")).toEqual([
      { actor: 'operator', target: endpoint.webhook_id },
    ])
  })

  it('turns one off, whose owner is told by mail and sees why, and on again, and sends what it missed', async () => {
    const endpoint = await h.endpoint()
    const { message_id: id } = (await h.of(endpoint, 'POST', 'test')).json()
    expect(await told('disable', endpoint.webhook_id)).toEqual({ webhook_id: endpoint.webhook_id, status: 'disabled', changed: true })
    expect(await told('disable', endpoint.webhook_id)).toMatchObject({ changed: false })
    const own = await h.of(endpoint, 'POST', '', { enabled: true })
    expect([own.statusCode, own.json().error.error_message]).toEqual([409, expect.stringContaining('operator')])
    expect((await h.of(endpoint, 'GET')).json()).toMatchObject({ status: 'disabled', disabled_reason: 'operator', waiting: 0 })
    expect(h.rows('SELECT actor, account_id, target FROM audit_log WHERE action = ?', 'webhook disabled')).toEqual([
      { actor: 'operator', account_id: h.owner.accountId, target: endpoint.webhook_id },
    ])
    catchUp()
    await h.deliver()
    expect(h.post.mails.at(-1)!.text).toContain('the operator of the service turned it off. Nothing is sent to it until the operator')
    expect(await told('enable', endpoint.webhook_id)).toMatchObject({ status: 'enabled', changed: true })
    expect((await h.of(endpoint, 'GET')).json()).toMatchObject({ status: 'enabled', disabled_reason: null })
    expect(await told('resend', endpoint.webhook_id, '--since', '2026-06-30')).toMatchObject({ resent: 1 })
    catchUp()
    await h.sendDue()
    expect(h.receiver.taken().map(message => message.id)).toEqual([id])
  })

  it('turns off for good what its owner had turned off for a while', async () => {
    const endpoint = await h.endpoint()
    await h.of(endpoint, 'POST', '', { enabled: false })
    expect(await told('disable', endpoint.webhook_id)).toMatchObject({ status: 'disabled', changed: true })
    expect((await h.of(endpoint, 'POST', '', { enabled: true })).statusCode).toBe(409)
  })

  it('turns a URL off for the account: its owner can neither make it anew, move another there, move it away nor delete it', async () => {
    const url = `${h.receiver.url}/refused?token=one`
    const refused = await h.endpoint({ url })
    await told('disable', refused.webhook_id)
    const elsewhere = await h.endpoint({ url: `${h.receiver.url}/elsewhere` })
    const anew = `${h.receiver.url}/refused?token=two`
    const create = (who = h.owner) => h.as(who, 'POST', 'webhooks', { url: anew })
    const tries = [
      await create(),
      await h.of(elsewhere, 'POST', '', { url: anew }),
      await h.of(refused, 'POST', '', { url: `${h.receiver.url}/other` }),
      await h.of(refused, 'DELETE'),
    ]
    for (const answer of tries) {
      expect([answer.statusCode, answer.json().error.error_code]).toEqual([409, 'conflict'])
      expect(answer.json().error.error_message).toContain('operator')
    }
    expect((await h.of(refused, 'POST', '', { description: 'was ours' })).statusCode).toBe(200)
    expect((await create(await h.signIn('other@example.test'))).statusCode).toBe(200)
    await h.of(elsewhere, 'DELETE')
    await told('enable', refused.webhook_id)
    expect((await h.of(refused, 'DELETE')).statusCode).toBe(200)
    expect((await create()).statusCode).toBe(200)
  })

  it('sends an endpoint that was turned on by the command what happens from then on', async () => {
    const endpoint = await h.endpoint({ events: ['credits.low'] })
    const spend = (requestId: string) =>
      h.control.ledger.record({
        ...{ requestId, accountId: h.owner.accountId, keyId: h.owner.apiKey!.key_id, dataset: 'theme-taxonomy' },
        ...{ at: taipei(h.now()), credits: 450, rows: 1 },
      })
    await told('disable', endpoint.webhook_id)
    await spend('req_1')
    await told('enable', endpoint.webhook_id)
    await spend('req_2')
    await h.sendDue()
    expect(h.receiver.taken().map(({ event }) => event.type)).toEqual(['credits.low'])
  })

  it('sends nothing again to one that is beyond what the plan allows, as its owner cannot', async () => {
    h.control.accounts.grantPlan(h.owner.accountId, 'pro', {}, h.now())
    const oldest = await h.endpoint()
    h.pass(1)
    const newest = await h.endpoint({ url: `${h.receiver.url}/newest` })
    const id = await h.test(newest)
    h.control.accounts.grantPlan(h.owner.accountId, 'free', {}, h.now())
    for (const what of [[id], ['--since', '2026-06-30']]) {
      const { code, stderr } = await webhooks('resend', newest.webhook_id, ...what)
      expect([code, stderr]).toEqual([
        1,
        expect.stringContaining('has 2 enabled endpoints and its plan allows 1; this is one of the newest'),
      ])
    }
    await told('disable', oldest.webhook_id)
    expect(await told('resend', newest.webhook_id, id)).toMatchObject({ resent: 1 })
  })

  it('is told what is wrong, and what to do', async () => {
    const endpoint = await h.endpoint()
    const refusedWith = async (...args: readonly string[]) => {
      const { code, stdout, stderr } = await webhooks(...args)
      expect(stdout).toBe('')
      return [code, stderr.trim()]
    }
    expect(await refusedWith('deliveries', 'we_none')).toEqual([
      1,
      'There is no webhook endpoint we_none; twmd webhooks list prints all of them.',
    ])
    expect((await refusedWith('resend', endpoint.webhook_id, 'msg_none'))[1]).toContain(`twmd webhooks deliveries ${endpoint.webhook_id}`)
    expect(await refusedWith('resend', endpoint.webhook_id)).toEqual([2, 'Name a message, or a time with --since; one of the two.'])
    expect((await refusedWith('resend', endpoint.webhook_id, '--since', 'monday'))[0]).toBe(2)
    await told('disable', endpoint.webhook_id)
    expect((await refusedWith('resend', endpoint.webhook_id, '--since', '2026-06-30'))[1]).toContain(
      `twmd webhooks enable ${endpoint.webhook_id}`,
    )
    // The free plan allows one.
    await h.endpoint({ url: `${h.receiver.url}/another` })
    expect((await refusedWith('enable', endpoint.webhook_id))[1]).toBe(
      'The account has 1 enabled endpoints and its plan allows 1; disable another one first, or grant a higher plan.',
    )
  })
})

it('leaves nothing behind in a folder that no service ever used', async () => {
  const { dir, remove } = await dataFolder()
  const { code, stderr } = await twmd(dir, 'webhooks', 'list')
  expect([code, stderr]).toEqual([2, expect.stringContaining('set DATA_DIR or STATE_DB')])
  await remove()
})
