import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort } from 'node:worker_threads'
import { ask } from './ask.ts'
import type { CallerAnswer, CallerTask } from './sequential-caller.ts'

/*
 * Worker thread of `sequential-caller.ts`: sends one request after the other for the given time,
 * then posts the answers.
 */
parentPort!.on('message', async ({ url, key, paths, ms, pauseMs }: CallerTask) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const got: CallerAnswer[] = []
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
