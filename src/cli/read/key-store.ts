import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { commandRefusal } from '../../core/index.ts'

/** Key store of the operating system. Contains one API key per service address. */
export interface KeyStore {
  /** Undefined if there is no key, or if the store is missing or locked. */
  find(address: string): Promise<string | undefined>
  /** @throws Refusal if the store is missing or rejects the key */
  keep(address: string, key: string): Promise<void>
  /** @returns true if there was a key @throws Refusal if the store is missing */
  forget(address: string): Promise<boolean>
}

interface Ran {
  /** Null if the program is not installed. */
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/**
 * @param input text for standard input. Other users of the machine can see arguments, but not this
 * text.
 */
async function run(program: string, args: readonly string[], input = ''): Promise<Ran> {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] })
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const ended = once(child, 'close').catch(() => [null])
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  return { code: code as number | null, stdout, stderr }
}

/** Uses libsecret, which supports GNOME Keyring, KWallet and KeePassXC. */
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
 * Uses the keychain of macOS. The exit code of `security -i` does not report failures, so the key
 * is read back.
 */
const keychain: KeyStore = {
  async find(address) {
    const { code, stdout } = await run('security', ['find-generic-password', '-s', 'twmd', '-a', address, '-w'])
    return (code === 0 && stdout.trim()) || undefined
  },
  async keep(address, key) {
    must(await run('security', ['-i'], `add-generic-password -U -s twmd -a "${address}" -w "${key}"\n`), 'security')
    if ((await this.find(address)) !== key) throw unanswered('the keychain did not store the key')
  },
  async forget(address) {
    const ran = await run('security', ['delete-generic-password', '-s', 'twmd', '-a', address])
    // 44 means "not found".
    must(ran, 'security', [0, 44])
    return ran.code === 0
  },
}

/** Undefined for unsupported platforms. */
export const keyStore = (platform: NodeJS.Platform = process.platform): KeyStore | undefined =>
  ({ linux: secretTool, darwin: keychain })[platform as string]

function must({ code, stderr }: Ran, program: string, good: readonly number[] = [0]): void {
  if (code !== null && good.includes(code)) return
  const why = code === null ? `${program} is not installed` : stderr.trim().split('\n')[0] || `${program} ended with ${code}`
  throw unanswered(why)
}

const unanswered = (why: string) => commandRefusal('conflict', {}, `The key store of this system failed (${why}). ${OTHERWISE}`)

export const OTHERWISE = 'Set TWMD_API_KEY, or use --key-file.'
