import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { readConfig } from '../../src/core/index.ts'
import { dataFolder } from '../support.ts'

let dir: string
let remove: () => Promise<void>
beforeEach(async () => {
  ;({ dir, remove } = await dataFolder())
})
afterEach(() => remove())

/** A file as editors and orchestrators write it. */
function file(name: string, content: string): string {
  writeFileSync(join(dir, name), content)
  return join(dir, name)
}
const TOKEN = 'a-token-that-came-out-of-a-file-0123'

it('readConfig reads a secret from its _FILE variable without the trailing line end', () => {
  for (const content of [TOKEN, `${TOKEN}\n`, `${TOKEN}\r\n`])
    expect(readConfig({ DATA_DIR: dir, ADMIN_TOKEN_FILE: file('token', content) }).secrets).toEqual({ ADMIN_TOKEN: TOKEN })
  const { mail } = readConfig({ DATA_DIR: dir, MAIL_URL_FILE: file('mail', 'smtp://user:word@127.0.0.1:25\n'), ADMIN_TOKEN_FILE: '' })
  expect(mail.url).toBe('smtp://user:word@127.0.0.1:25')
})

it('readConfig names the variable of a missing, empty, oversized or redundant secret file', () => {
  const environment = {
    DATA_DIR: dir,
    ADMIN_TOKEN: TOKEN,
    ADMIN_TOKEN_FILE: file('token', TOKEN),
    KEY_PEPPER_FILE: join(dir, 'none'),
    SERVICE_TOKEN_FILE: file('empty', '\n'),
    MAIL_URL_FILE: file('long', TOKEN.repeat(999)),
  }
  let message = ''
  try {
    readConfig(environment)
  } catch (error) {
    message = (error as Error).message
  }
  expect(message.split('\n')).toEqual([
    'KEY_PEPPER_FILE refers to an unreadable file (ENOENT).',
    'SERVICE_TOKEN_FILE refers to an empty file.',
    'ADMIN_TOKEN and ADMIN_TOKEN_FILE are both set. Remove one of them.',
    'MAIL_URL_FILE refers to a file larger than 8192 bytes, which cannot be a secret.',
  ])
  expect(message).not.toContain(TOKEN)
})
