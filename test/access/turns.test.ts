import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createTurns } from '../../src/access/turns.ts'

/** Requests slots for reads of an account, and records the order in which they start. */
function recording() {
  const takeTurn = createTurns()
  const started: string[] = []
  const take = (account: string, count: number): void => {
    for (let read = 0; read < count; read++) {
      const waiting = takeTurn(account)
      if (waiting) void waiting.then(() => started.push(account))
      else started.push(account)
    }
  }
  return { started, take }
}

it('at most 32 reads start in one turn of the event loop; the others start in the next turns', async () => {
  const { started, take } = recording()
  take('busy', 70)
  expect(started).toHaveLength(32)
  await nextTurn()
  expect(started).toHaveLength(64)
  await nextTurn()
  expect(started).toHaveLength(70)
})

it('a read of another account starts in the next turn, regardless of how many reads wait', async () => {
  const { started, take } = recording()
  take('busy', 300)
  take('quiet', 1)
  expect(started).not.toContain('quiet')
  await nextTurn()
  expect(started.indexOf('quiet')).toBe(33)
})

it('a read starts immediately if no other read waits', async () => {
  const { started, take } = recording()
  take('busy', 40)
  await nextTurn()
  await nextTurn()
  take('quiet', 32)
  expect(started).toHaveLength(72)
})
