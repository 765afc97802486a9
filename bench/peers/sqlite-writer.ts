import { copyFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { answer } from '../child.ts'
import { insertRows } from './stock.ts'

let database: Database.Database

answer({
  /**
   * Copies the peer's SQLite file, so that days can be appended to the copy. The copy uses a
   * write-ahead log, so that a transaction does not block readers.
   */
  open(from: string, file: string): void {
    copyFileSync(from, file)
    database = new Database(file)
    database.pragma('journal_mode = WAL')
  },
  /** Appends the rows of a day in one transaction. */
  publish: (dayFile: string): Promise<void> => insertRows(database, dayFile),
})
