import { expect, it } from 'vitest'
import { createLog } from '../../src/core/index.ts'

it('createLog at level silent writes nothing and adds no exit listeners', () => {
  const before = process.listenerCount('exit')
  const lines: string[] = []
  for (let opened = 0; opened < 20; opened++) createLog('silent')('read', { opened })
  createLog('silent', { write: line => void lines.push(line) })('failed', { message: 'x' })
  expect([process.listenerCount('exit'), lines]).toEqual([before, []])
})
