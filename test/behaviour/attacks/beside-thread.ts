import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort } from 'node:worker_threads'
import { ask } from './ask.ts'
import type { Asking, Got } from './beside.ts'

/* The thread of `beside.ts`: asks for one thing after the other for as long as it is told, then hands over what came. */
parentPort!.on('message', async ({ url, key, paths, ms, pauseMs }: Asking) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const got: Got[] = []
  for (const ends = performance.now() + ms; performance.now() < ends; ) {
    const path = paths[got.length % paths.length]!
    const began = performance.now()
    const { status, headers, body } = await ask(agent, new URL(path, url).href, { 'x-api-key': key })
    got.push({ path, ms: performance.now() - began, status, headers, body: body.toString('latin1') })
    await sleep(pauseMs)
  }
  agent.destroy()
  parentPort!.postMessage(got)
})
