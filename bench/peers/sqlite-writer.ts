import { copyFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { answer } from '../child.ts'
import { insertRows } from './stock.ts'

let database: Database.Database

answer({
  open(from: string, file: string): void {
    copyFileSync(from, file)
    database = new Database(file)
    database.pragma('journal_mode = WAL')
  },
  publish: (dayFile: string): Promise<void> => insertRows(database, dayFile),
})
