import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ended, startTwmd, twmd } from '../fixtures/cli/twmd.ts'
import { dataFolder, SECRETS } from '../support.ts'
import { type Hooks, hooks } from './hooks.ts'

let h: Hooks
beforeAll(async () => {
  h = await hooks()
})
beforeEach(() => h.reset())
afterAll(() => h.close())

const { KEY_PEPPER, KEY_ENCRYPTION_KEY } = SECRETS
/** Runs `twmd webhooks` on the state file of the running service. */
const webhooks = (...args: readonly string[]) => ended(startTwmd(h.dir, ['webhooks', ...args], { KEY_PEPPER, KEY_ENCRYPTION_KEY }))
/** Runs `twmd webhooks` with --json. @returns the parsed output */
async function json(...args: readonly string[]) {
  const { code, stdout, stderr } = await webhooks(...args, '--json')
  expect([code, stderr]).toEqual([0, ''])
  return JSON.parse(stdout)
}
/** The email address of the owner, who differs in each test. */
const ownerEmail = () => h.control.accounts.byId(h.owner.accountId, h.now())!.email
/** Sets the clock of the service to the current time, which the command uses. */
const catchUp = (): void => h.pass(Math.max(0, (Date.now() - h.now().getTime()) / 60_000) + 1)

describe('twmd webhooks', () => {
  it('twmd webhooks list shows endpoints of all accounts, failing endpoints first, without secrets in URLs', async () => {
    const other = await h.signIn('other@example.test')
    const failing = await h.endpoint({ url: `${h.receiver.url}/planted-path?token=planted-token` })
    const taking = await h.endpoint({ url: `${h.receiver.url}/b` }, other)
    h.receiver.answers(response => void response.writeHead(500).end())
    await h.call(failing, 'POST', 'test')
    await h.sendDue()
    const found = await json('list')
    expect(found).toMatchObject([
      {
        webhook_id: failing.webhook_id,
        account_id: h.owner.accountId,
        email: ownerEmail(),
        url: `${h.receiver.url}/planted-path`,
        status: 'enabled',
        disabled_reason: null,
        failing_since: '2026-07-01T20:00:00.000+08:00',
        waiting: 1,
      },
      { webhook_id: taking.webhook_id, email: 'other@example.test', failing_since: null, waiting: 0, next_at: null },
    ])
    expect(JSON.stringify(found)).not.toContain('planted-token')
    expect((await json('list', '--failing')).map((one: { webhook_id: string }) => one.webhook_id)).toEqual([failing.webhook_id])
    const { stdout } = await webhooks('list')
    expect(stdout.split('\n')[1]!.trim().split(/ +/)).toEqual(['Taipei', 'Taipei'])
    expect(stdout.split('\n')[2]).toMatch(`${failing.webhook_id}  ${ownerEmail()}  enabled  2026-07-01 20:00`)
    expect(stdout).toContain(new URL(h.receiver.url).host)
    expect(stdout).not.toContain('planted')
  })

  it('twmd webhooks deliveries shows attempts and responses; resend sends a message again', async () => {
    const endpoint = await h.endpoint()
    h.receiver.answers(response => void response.writeHead(503).end())
    const { message_id: id } = (await h.call(endpoint, 'POST', 'test')).json()
    await h.sendDue()
    expect(await json('deliveries', endpoint.webhook_id)).toMatchObject([
      { message_id: id, type: 'webhook.test', status: 'waiting', attempts: [{ status: 503, error: null }] },
    ])
    expect(await json('deliveries', endpoint.webhook_id, '--state', 'delivered')).toEqual([])
    h.receiver.answers(response => void response.end())
    h.pass(60)
    await h.sendDue()
    h.receiver.taken()
    expect(await json('resend', endpoint.webhook_id, id)).toEqual({ webhook_id: endpoint.webhook_id, resent: 1 })
    catchUp()
    await h.sendDue()
    expect(h.receiver.taken().map(message => message.id)).toEqual([id])
    const { stdout } = await webhooks('deliveries', endpoint.webhook_id)
    expect(stdout.split('\n')[1]!.trim().split(/ +/)).toEqual(['Taipei', 'Taipei', 'Taipei'])
    expect(stdout.split('\n')[2]).toMatch(new RegExp(`^${id}  webhook.test  2026-07-01 20:00  delivered +3 +\\S+ \\S+: 200`))
    expect(h.rows("SELECT actor, target FROM audit_log WHERE action = 'webhook resent' AND target = ?", endpoint.webhook_id)).toEqual([
      { actor: 'operator', target: endpoint.webhook_id },
    ])
  })

  it('twmd webhooks disable stops an endpoint and mails its owner; enable starts it again', async () => {
    const endpoint = await h.endpoint()
    const { message_id: id } = (await h.call(endpoint, 'POST', 'test')).json()
    expect(await json('disable', endpoint.webhook_id)).toEqual({ webhook_id: endpoint.webhook_id, status: 'disabled', changed: true })
    expect(await json('disable', endpoint.webhook_id)).toMatchObject({ changed: false })
    const own = await h.call(endpoint, 'POST', '', { enabled: true })
    expect([own.statusCode, own.json().error.error_message]).toEqual([409, expect.stringContaining('operator')])
    expect((await h.call(endpoint, 'GET')).json()).toMatchObject({ status: 'disabled', disabled_reason: 'operator', waiting: 0 })
    expect(
      h.rows("SELECT actor, account_id, target FROM audit_log WHERE action = 'webhook disabled' AND target = ?", endpoint.webhook_id),
    ).toEqual([{ actor: 'operator', account_id: h.owner.accountId, target: endpoint.webhook_id }])
    catchUp()
    await h.deliver()
    expect(h.post.mails.at(-1)!.text).toContain('the operator of the service disabled it. It receives no messages until the operator')
    expect(await json('enable', endpoint.webhook_id)).toMatchObject({ status: 'enabled', changed: true })
    expect((await h.call(endpoint, 'GET')).json()).toMatchObject({ status: 'enabled', disabled_reason: null })
    expect(await json('resend', endpoint.webhook_id, '--since', '2026-06-30')).toMatchObject({ resent: 1 })
    catchUp()
    await h.sendDue()
    expect(h.receiver.taken().map(message => message.id)).toEqual([id])
  })

  it('errors of twmd webhooks suggest a fix', async () => {
    const endpoint = await h.endpoint()
    const refusedWith = async (...args: readonly string[]) => {
      const { code, stdout, stderr } = await webhooks(...args)
      expect(stdout).toBe('')
      return [code, stderr.trim()]
    }
    expect(await refusedWith('deliveries', 'we_none')).toEqual([
      1,
      'Webhook endpoint we_none does not exist. List all endpoints with twmd webhooks list.',
    ])
    expect((await refusedWith('resend', endpoint.webhook_id, 'msg_none'))[1]).toContain(`twmd webhooks deliveries ${endpoint.webhook_id}`)
    expect(await refusedWith('resend', endpoint.webhook_id)).toEqual([2, 'Give either a message id or --since.'])
    expect((await refusedWith('resend', endpoint.webhook_id, '--since', 'monday'))[0]).toBe(2)
    await json('disable', endpoint.webhook_id)
    expect((await refusedWith('resend', endpoint.webhook_id, '--since', '2026-06-30'))[1]).toContain(
      `twmd webhooks enable ${endpoint.webhook_id}`,
    )
    // The free plan allows one endpoint.
    await h.endpoint({ url: `${h.receiver.url}/another` })
    expect((await refusedWith('enable', endpoint.webhook_id))[1]).toBe(
      'The account has 1 enabled endpoints, and its plan allows 1. Disable another endpoint first, or grant a higher plan.',
    )
  })
})

it('twmd webhooks refuses a folder without a state file', async () => {
  const { dir, remove } = await dataFolder()
  const { code, stderr } = await twmd(dir, 'webhooks', 'list')
  expect([code, stderr]).toEqual([2, expect.stringContaining('Set DATA_DIR or STATE_DB')])
  await remove()
})
