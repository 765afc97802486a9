import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import type { Entitlements } from '../../../clients/typescript/src/index.ts'
import { print } from '../terminal.ts'
import { addressOf, jsonAt, type ServiceOptions } from './connection.ts'
import { keyStore, OTHERWISE } from './key-store.ts'

export function loginCommands(program: Command): void {
  const address = '--url <url>'
  const doc = 'address of the service; default TWMD_URL or http://127.0.0.1:8080'
  program.command('login').description("store an API key in the system's key store, read from stdin").option(address, doc).action(login)
  program.command('logout').description('remove the key of a service from the key store').option(address, doc).action(logout)
}

async function login(options: ServiceOptions): Promise<void> {
  const address = addressOf(options)
  const store = storeOf()
  const key = (await (process.stdin.isTTY ? typed(`API key for ${address}: `) : text(process.stdin))).trim()
  if (!/^[\w.-]{8,200}$/.test(key)) throw new Error('Enter exactly one API key.')
  const { openRemote } = await import('../../../ingest/mirror/index.ts')
  const remote = openRemote({ url: address, key, tries: 2 })
  const { plan_id: plan } = await jsonAt<Entitlements>(remote, '/v2/account/entitlements')
  await store.keep(address, key)
  print(`Stored the key of ${address} (plan ${plan}). twmd logout removes it.`)
}

async function logout(options: ServiceOptions): Promise<void> {
  const address = addressOf(options)
  const held = await storeOf().forget(address)
  print(held ? `Removed the key of ${address} from the key store.` : `The key store has no key of ${address}.`)
}

function storeOf() {
  const store = keyStore()
  if (!store) throw new Error(`This system has no supported key store. ${OTHERWISE}`)
  return store
}

/** Reads a line from the terminal without showing the typed characters. */
async function typed(question: string): Promise<string> {
  process.stderr.write(question)
  const unseen = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: unseen, terminal: true })
  const line = await new Promise<string>(resolve => {
    lines.once('line', resolve)
    lines.once('close', () => resolve(''))
  })
  lines.close()
  process.stderr.write('\n')
  return line
}
