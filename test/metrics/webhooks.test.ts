import { expect, it } from 'vitest'
import { hooks } from '../webhooks/hooks.ts'
import { scrape } from './scrape.ts'

it('metrics count webhook attempts by outcome, and failing endpoints', async () => {
  const h = await hooks({ metrics: true })
  const url = (await h.tellMetrics())!
  const samplesOf = async (): Promise<readonly unknown[]> => {
    const { samples } = await scrape(url)
    const outcomes = ['delivered', 'failed', 'given_up'].map(outcome => samples.get(`twmd_webhook_attempts_total{outcome="${outcome}"}`))
    return [...outcomes, samples.get('twmd_webhook_endpoints{state="failing"}')]
  }
  try {
    expect(await samplesOf()).toEqual([0, 0, 0, 0])
    const endpoint = await h.endpoint()
    await h.test(endpoint)
    await h.sendDue()
    expect(await samplesOf()).toEqual([1, 0, 0, 0])
    h.receiver.answers(response => void response.writeHead(500).end())
    await h.test(endpoint)
    await h.sendDue()
    expect(await samplesOf()).toEqual([1, 1, 0, 1])
    h.tamper("UPDATE webhook_delivery SET attempts = 9 WHERE state = 'waiting'")
    h.pass(60)
    await h.sendDue()
    expect(await samplesOf()).toEqual([1, 1, 1, 1])
  } finally {
    await h.close()
  }
})
