import { Webhook } from 'standardwebhooks'
import { readEmail } from '../../../src/accounts/index.ts'
import { openControl } from '../../../src/control/index.ts'
import { postOffice } from '../../mail/mail-server.ts'
import { SECRETS } from '../../support.ts'
import { receiver } from '../../webhooks/receiver.ts'
import { DATASET } from './market.ts'

/**
 * Creates accounts on plan max with one key each, while no service uses the state file.
 * @returns the keys
 */
export function makeKeys(stateDb: string, count: number): readonly string[] {
  const control = openControl({ stateDb }, SECRETS)
  const now = new Date()
  const keys = Array.from({ length: count }, (_, index) => {
    const { id } = control.accounts.ensure(readEmail(`caller${index}@soak.example`)!, now)
    control.accounts.grantPlan(id, 'max', {}, now)
    return control.keys.issue(id, 'soak', now).secret
  })
  control.close()
  return keys
}

/** A user who signs in with a mailed code and receives webhooks about publications. */
export interface Follower {
  readonly mailUrl: string
  /** @throws Error if the service refuses the sign-in */
  signIn(url: string): Promise<void>
  /** Token of the session; empty before `signIn`. */
  session(): string
  /** Number of messages with a valid signature, and the releases that they announced. */
  received(): { readonly messages: number; readonly releases: ReadonlySet<string> }
  /** Number of messages with an invalid signature. */
  forged(): number
  close(): Promise<void>
}

const EMAIL = 'follower@soak.example'

export async function openFollower(): Promise<Follower> {
  const [office, hooks] = [await postOffice(), await receiver()]
  const releases = new Set<string>()
  let [token, messages, forged]: [string, number, number] = ['', 0, 0]
  let webhook: Webhook | undefined
  const post = async (url: string, body: object): Promise<Readonly<Record<string, string>>> => {
    const headers = { 'content-type': 'application/json', 'x-self-serve-token': token }
    const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
    if (answer.status !== 200) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`)
    return (await answer.json()) as Readonly<Record<string, string>>
  }
  // Signatures are valid for five minutes, so they are verified on arrival.
  hooks.answers((response, { headers, body, event }) => {
    try {
      webhook!.verify(body, { ...headers })
      messages++
      releases.add(String(event.data['release_version']))
    } catch {
      forged++
    }
    response.end()
  })
  return {
    mailUrl: office.url,
    async signIn(url) {
      const { flow_id } = await post(`${url}/v2/self-serve/onboarding/start`, { email: EMAIL })
      while (office.mails.length === 0) await new Promise(resolve => setTimeout(resolve, 20))
      const [code] = /\d{8}/.exec(office.mails[0]!.text)!
      token = (await post(`${url}/v2/self-serve/onboarding/complete`, { flow_id, code }))['self_serve_token']!
      const events = ['dataset.published', 'dataset.revised']
      const { secret } = await post(`${url}/v2/self-serve/webhooks`, { url: hooks.url, events, datasets: [DATASET] })
      webhook = new Webhook(secret!)
    },
    session: () => token,
    received: () => ({ messages, releases }),
    forged: () => forged,
    async close() {
      hooks.close()
      await office.close()
    },
  }
}
