import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { keyStore } from '../../src/cli/read/key-store.ts'

const KEY = 'sk_live_a_key_that_no_other_user_may_see'
const OTHER = 'sk_live_another_key'
const ADDRESS = "https://data.example/it's/twmd"

/** Beginning of the fake key store programs: logs the arguments. */
const NOTED = `#!/bin/sh
printf '%s\\n' "$@" >> "$NOTES"
`
const SECRET_TOOL = `${NOTED}command=$1; shift
[ "$1" = --label ] && shift 2
[ "$1 $2 $3" = "service twmd url" ] || exit 2
case $command in
  store) cat > "$SECRETS/key" ;;
  lookup) cat "$SECRETS/key" 2>/dev/null ;;
  clear) rm "$SECRETS/key" 2>/dev/null ;;
esac
`
/**
 * Replaces `security` of macOS. With -i, it reads shell-quoted commands and exits with 0 even if
 * they fail.
 */
const SECURITY = `${NOTED}if [ "$1" = -i ]; then
  read -r line
  eval "set -- $line"
  [ -n "$LOCKED" ] && exit 0
  [ "$1 $2 $3 $4 $5 $6" = "add-generic-password -U -s twmd -a ${ADDRESS}" ] && [ "$7" = -w ] && printf '%s' "$8" > "$SECRETS/key"
  exit 0
fi
[ "$2 $3 $4 $5" = "-s twmd -a ${ADDRESS}" ] || exit 2
case $1 in
  find-generic-password) [ -f "$SECRETS/key" ] && cat "$SECRETS/key" && echo || exit 44 ;;
  delete-generic-password) rm "$SECRETS/key" 2>/dev/null || exit 44 ;;
esac
`

let dir = ''
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'twmd-'))
  const bin = join(dir, 'bin')
  mkdirSync(bin)
  for (const [name, program] of Object.entries({ 'secret-tool': SECRET_TOOL, security: SECURITY })) {
    writeFileSync(join(bin, name), program)
    chmodSync(join(bin, name), 0o755)
  }
  vi.stubEnv('PATH', `${bin}:${process.env['PATH']}`)
  vi.stubEnv('NOTES', join(dir, 'notes'))
  vi.stubEnv('SECRETS', dir)
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await rm(dir, { recursive: true })
})

describe.each([
  ['linux', 'secret-tool'],
  ['darwin', 'security'],
] as const)('key store %s, %s', (platform, program) => {
  const store = keyStore(platform)!

  it(`the key store of ${platform} stores, finds, replaces and deletes a key without passing the key as an argument`, async () => {
    expect(await store.find(ADDRESS)).toBe(undefined)
    for (const key of [KEY, OTHER]) {
      await store.keep(ADDRESS, key)
      expect(await store.find(ADDRESS)).toBe(key)
    }
    expect([await store.forget(ADDRESS), await store.forget(ADDRESS), await store.find(ADDRESS)]).toEqual([true, false, undefined])
    const notes = readFileSync(join(dir, 'notes'), 'utf8')
    expect(notes).toContain(ADDRESS)
    expect(notes).not.toContain('sk_live_')
  })

  it(`the key store of ${platform} reports that ${program} is not installed`, async () => {
    rmSync(join(dir, 'bin', program))
    vi.stubEnv('PATH', join(dir, 'bin'))
    await expect(store.keep(ADDRESS, KEY)).rejects.toThrow(`${program} is not installed`)
    expect(await store.find(ADDRESS)).toBe(undefined)
  })
})

it('the key store of darwin reports an error if the keychain did not store the key', async () => {
  vi.stubEnv('LOCKED', 'yes')
  await expect(keyStore('darwin')!.keep(ADDRESS, KEY)).rejects.toThrow('the keychain did not store the key')
})
