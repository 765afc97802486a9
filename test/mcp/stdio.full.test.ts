import { once } from 'node:events'
import { expect, it } from 'vitest'
import { prepareFolder, startMcp } from './stdio.ts'

prepareFolder()

it('twmd mcp exits with 0 at SIGTERM while its input is open', async () => {
  const { child } = await startMcp()
  child.kill('SIGTERM')
  expect((await once(child, 'exit'))[0]).toBe(0)
})
