import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { commandRefusal } from '../../core/index.ts'

/** The system's store of secrets, which holds one key for each service by its address, path included. */
export interface KeyStore {
  /** Undefined where it holds none, is not there or stays shut. */
  find(address: string): Promise<string | undefined>
  /** @throws Refusal where it is not there or does not take it */
  keep(address: string, key: string): Promise<void>
  /** @returns whether there was one @throws Refusal where the store is not there */
  forget(address: string): Promise<boolean>
}

interface Ran {
  /** Null where the program is not there. */
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs a program. What it may not show other users of the machine goes in by `input`, never as an argument. */
async function run(program: string, args: readonly string[], input = ''): Promise<Ran> {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] })
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const ended = once(child, 'close').catch(() => [null])
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  return { code: code as number | null, stdout, stderr }
}

/** libsecret, which GNOME Keyring, KWallet and KeePassXC answer to. */
const secretTool: KeyStore = {
  async find(address) {
    const { code, stdout } = await run('secret-tool', ['lookup', 'service', 'twmd', 'url', address])
    return (code === 0 && stdout.trim()) || undefined
  },
  async keep(address, key) {
    must(await run('secret-tool', ['store', '--label', `API key of ${address}`, 'service', 'twmd', 'url', address], key), 'secret-tool')
  },
  async forget(address) {
    const held = (await this.find(address)) !== undefined
    must(await run('secret-tool', ['clear', 'service', 'twmd', 'url', address]), 'secret-tool', [0, 1])
    return held
  },
}

/**
 * The keychain of macOS. A key as an argument would be seen by others; with `-i` the command itself comes by standard input. How that
 * ends does not tell whether the command did, so that the key is looked up afterwards.
 */
const keychain: KeyStore = {
  async find(address) {
    const { code, stdout } = await run('security', ['find-generic-password', '-s', 'twmd', '-a', address, '-w'])
    return (code === 0 && stdout.trim()) || undefined
  },
  async keep(address, key) {
    must(await run('security', ['-i'], `add-generic-password -U -s twmd -a "${address}" -w "${key}"\n`), 'security')
    if ((await this.find(address)) !== key) throw unanswered('the keychain did not take the key')
  },
  async forget(address) {
    const ran = await run('security', ['delete-generic-password', '-s', 'twmd', '-a', address])
    // 44: there is none.
    must(ran, 'security', [0, 44])
    return ran.code === 0
  },
}

/** That of this system; undefined where none is known. */
export const keyStore = (platform: NodeJS.Platform = process.platform): KeyStore | undefined =>
  ({ linux: secretTool, darwin: keychain })[platform as string]

function must({ code, stderr }: Ran, program: string, good: readonly number[] = [0]): void {
  if (code !== null && good.includes(code)) return
  const why = code === null ? `${program} is not installed` : stderr.trim().split('\n')[0] || `${program} ended with ${code}`
  throw unanswered(why)
}

const unanswered = (why: string) => commandRefusal('conflict', {}, `The key store of this system does not answer (${why}). ${OTHERWISE}`)

/** Where else a key may be. */
export const OTHERWISE = 'Put the key into TWMD_API_KEY, or into a file that --key-file names.'
