import { describe, expect, it } from 'vitest'
import { createLog } from '../../src/core/index.ts'

describe('a log at the level silent', () => {
  it('writes nothing and leaves nothing behind that waits for the process to end, however many there are', () => {
    const before = process.listenerCount('exit')
    const lines: string[] = []
    for (let opened = 0; opened < 20; opened++) createLog('silent')('read', { opened })
    createLog('silent', { write: line => void lines.push(line) })('failed', { message: 'x' })
    expect([process.listenerCount('exit'), lines]).toEqual([before, []])
  })
})
