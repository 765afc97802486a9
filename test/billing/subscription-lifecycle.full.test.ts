import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll } from 'vitest'
import { subscriptionLifecycle } from './lifecycle.ts'
import { STRIPE_KEY } from './shop.ts'

let providerUrl: string
const provider = spawn(process.execPath, [fileURLToPath(new URL('../fixtures/provider/server.ts', import.meta.url))], {
  env: { PATH: process.env['PATH'], PROVIDER_SECRET_KEY: STRIPE_KEY },
  stdio: ['ignore', 'pipe', 'inherit'],
})
beforeAll(async () => {
  const [printed] = (await once(provider.stdout, 'data')) as [Buffer]
  providerUrl = JSON.parse(printed.toString()).url
})
afterAll(() => void provider.kill())

for (const delivery of [
  { name: 'twice and in reverse', manner: { copies: 2, order: 'reversed' }, header: 'Stripe-Signature', older: true },
  {
    name: 'three times, shuffled and in parallel',
    manner: { copies: 3, order: 'shuffled', parallel: true },
    header: 'Payment-Signature',
    older: false,
  },
] as const)
  subscriptionLifecycle(delivery, () => ({ providerUrl }))
