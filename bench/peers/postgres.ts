import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { User } from './program.ts'

export interface Cluster {
  readonly bin: string
  readonly user: User | undefined
}

const DEBIAN = '/usr/lib/postgresql'

/** Null if PostgreSQL is not installed or cannot be started. */
export function findCluster(): Cluster | null {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : []
  const folders = [...versions.map(version => join(DEBIAN, version, 'bin')), ...(process.env['PATH'] ?? '').split(':')]
  const bin = folders.find(folder => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')))
  if (bin === undefined) return null
  if (process.getuid?.() !== 0) return { bin, user: undefined }
  const user = ['postgres', 'nobody'].map(idsOf).find(ids => ids !== null)
  return user ? { bin, user } : null
}

/** Allows enough memory for all rows. Listens only on 127.0.0.1. */
export const postgresArgs = (folder: string): readonly string[] => {
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    shared_buffers: '2GB',
    jit: 'off',
    fsync: 'off',
    max_wal_size: '4GB',
  }
  return ['-D', folder, '-p', '{port}', ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
}

function idsOf(name: string): User | null {
  const [uid, gid] = ['-u', '-g']
    .map(option => spawnSync('id', [option, name], { encoding: 'utf8' }))
    .map(({ status, stdout }) => (status === 0 ? Number(stdout) : null))
  return uid != null && gid != null ? { uid, gid } : null
}
