import { chownSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import Database from 'better-sqlite3'
import { fromParts, literal } from '../../src/engine/index.ts'
import { startChild } from '../child.ts'
import { folderOf, type Size } from '../data.ts'
import { openRaw } from '../raw.ts'
import { stockFolder } from './folders.ts'
import { type Cluster, postgresArgs } from './postgres.ts'

const COLUMNS = {
  ticker: 'text',
  market: 'text',
  trade_date: 'date',
  foreign_net_buy: 'bigint',
  investment_trust_net_buy: 'bigint',
  dealer_net_buy: 'bigint',
  institutional_net_buy_total: 'bigint',
  foreign_pct: 'double precision',
  foreign_pct_percentile: 'double precision',
  buy_streak: 'bigint',
  sell_streak: 'bigint',
  inst_share_of_volume: 'double precision',
} as const
const names = Object.keys(COLUMNS)
const table = (date: string): string =>
  Object.entries(COLUMNS)
    .map(([name, type]) => `${name} ${type === 'date' ? date : type}`)
    .join(', ')

export interface Stock {
  readonly parquet: string
  readonly sqlite: string
  readonly postgres: string
}

/**
 * Creates the files that are missing.
 * @param cluster null if PostgreSQL is not installed
 */
export async function ensureStock(size: Size, cluster: Cluster | null, say: (text: string) => void): Promise<Stock> {
  const folder = stockFolder(size)
  mkdirSync(folder, { recursive: true })
  const stock: Stock = { parquet: join(folder, 'rows.parquet'), sqlite: join(folder, 'rows.sqlite'), postgres: join(folder, 'postgres') }
  const makers = [
    [stock.parquet, () => writeParquet(size, stock.parquet)],
    [stock.sqlite, () => fillSqlite(stock)],
    ...(cluster ? ([[stock.postgres, () => fillPostgres(stock, cluster, join(folder, 'rows.csv'))]] as const) : []),
  ] as const
  for (const [path, make] of makers) {
    if (existsSync(`${path}.done`)) continue
    say(`making ${path}`)
    rmSync(path, { recursive: true, force: true })
    await make()
    writeFileSync(`${path}.done`, '')
  }
  return stock
}

async function writeParquet(size: Size, file: string): Promise<void> {
  const raw = await openRaw(folderOf(size))
  const { manifest, pathOf } = raw.release
  raw.close()
  await runInEngine(
    `COPY (SELECT ${names} FROM ${fromParts(manifest.parts.map(pathOf))} ORDER BY ticker, trade_date) TO ${literal(file)} (FORMAT parquet)`,
  )
}

/** The primary key is the order on disk, so the days of a ticker are adjacent. */
async function fillSqlite({ parquet, sqlite }: Stock): Promise<void> {
  const database = new Database(sqlite)
  database.exec(`PRAGMA journal_mode = OFF; CREATE TABLE rows (${table('text')}, PRIMARY KEY (ticker, trade_date)) WITHOUT ROWID`)
  await insertRows(database, parquet)
  database.exec('ANALYZE')
  database.close()
}

export async function insertRows(database: Database.Database, parquet: string): Promise<void> {
  const insert = database.prepare(`INSERT INTO rows VALUES (${names.map(() => '?')})`)
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  const cells = Object.entries(COLUMNS).map(([name, type]) =>
    type === 'bigint' ? `${name}::DOUBLE` : type === 'date' ? `${name}::VARCHAR` : name,
  )
  const result = await connection.stream(`SELECT ${cells} FROM read_parquet(${literal(parquet)})`)
  database.exec('BEGIN')
  for await (const rows of result.yieldRows()) for (const row of rows) insert.run(row)
  database.exec('COMMIT')
  connection.closeSync()
  instance.closeSync()
}

async function fillPostgres({ parquet, postgres }: Stock, { bin, user }: Cluster, csv: string): Promise<void> {
  await runInEngine(`COPY (FROM read_parquet(${literal(parquet)})) TO ${literal(csv)} (FORMAT csv, HEADER false)`)
  mkdirSync(postgres)
  if (user) chownSync(postgres, user.uid, user.gid)
  const server = startChild('peers/program.ts')
  try {
    await server.ask('run', {
      path: join(bin, 'initdb'),
      args: ['-D', postgres, '-U', 'bench', '-A', 'trust', '-E', 'UTF8', '--no-locale', '--no-sync'],
      user,
    })
    const port = await server.ask<number>('start', { path: join(bin, 'postgres'), args: postgresArgs(postgres), user, signal: 'SIGINT' })
    const text = `CREATE TABLE rows (${table('date')}); COPY rows FROM '${csv}' (FORMAT csv); ALTER TABLE rows ADD PRIMARY KEY (ticker, trade_date)`
    for (const command of [text, 'VACUUM ANALYZE rows', 'CHECKPOINT'])
      await server.ask('run', {
        path: join(bin, 'psql'),
        args: ['-h', '127.0.0.1', '-p', String(port), '-U', 'bench', '-d', 'postgres', '-v', 'ON_ERROR_STOP=1', '-qc', command],
      })
    await server.ask('stop')
  } finally {
    await server.stop()
    rmSync(csv)
  }
}

async function runInEngine(statement: string): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  await connection.run(statement)
  connection.closeSync()
  instance.closeSync()
}
