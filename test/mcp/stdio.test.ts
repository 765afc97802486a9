import { once } from 'node:events'
import { expect, it } from 'vitest'
import { prepareFolder, startMcp } from './stdio.ts'

prepareFolder()

it('twmd mcp writes messages to standard output and logs to standard error, and exits when its input ends', async () => {
  const { child, answers, logged } = await startMcp()
  expect(answers.get(1)?.result).toMatchObject({ protocolVersion: '2025-06-18', serverInfo: { name: 'twmd' } })
  expect(answers.get(2)?.result).toMatchObject({ structuredContent: { rows: [[15]], credits: 0 } })
  expect(answers.get(3)?.result).toMatchObject({ isError: true, structuredContent: { error: { did_you_mean: 'earnings' } } })
  child.stdin.end()
  expect((await once(child, 'exit'))[0]).toBe(0)
  const events = logged()
    .trim()
    .split('\n')
    .map(line => JSON.parse(line).event)
  expect(events).toEqual(expect.arrayContaining(['read', 'refused']))
})
