import { afterEach, beforeEach, expect, it } from 'vitest'
import { supervisedFolder, until } from './supervised.ts'

let s: ReturnType<typeof supervisedFolder>
beforeEach(() => {
  s = supervisedFolder()
})
afterEach(() => s.close())

it('the supervisor restarts a failed process after waits that double each time, and reports the error in log and state', async () => {
  const { state } = s.run(`console.error('first line'); console.error('The folder is missing.'); process.exit(3)`)
  await until(() => s.lines.length >= 3)
  expect(s.lines.slice(0, 3)).toEqual(
    [20, 40, 80].map(again_in_ms => ['failed', { during: 'twmd program', error: 'The folder is missing.', again_in_ms }]),
  )
  expect(state()).toMatchObject({ name: 'program', lastFailure: { message: 'The folder is missing.' } })
  expect(state().restarts).toBeGreaterThanOrEqual(2)
})
