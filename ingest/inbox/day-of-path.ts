import { isDay, type Words } from '../../src/core/index.ts'
import { bodyRefused } from '../formats/index.ts'

/** A day in a name: `2023-01-30` or `20230130`, without adjacent digits. */
const DAY = /(?<!\d)(\d{4})(-?)(\d\d)\2(\d\d)(?!\d)/g

function daysIn(name: string): readonly string[] {
  const days = [...name.matchAll(DAY)].map(([, year, , month, day]) => `${year}-${month}-${day}`)
  return [...new Set(days.filter(isDay))]
}

/**
 * The day of a feed file, from its path. It is the only day in the file's name, otherwise in the
 * name of the nearest folder that has one. Undefined if there is none, and if a name contains
 * several days, such as a range.
 *
 * @param file path within the feed's folder
 * @throws Refusal body_refused if name and folder have different days
 */
export function dayOfPath(file: string): string | undefined {
  const names = file.split(/[\\/]/)
  const own = daysIn(names.at(-1)!)
  const named = own.length === 1 ? own[0] : undefined
  const folder = names
    .slice(0, -1)
    .filter(name => /^\d{4}(-?)\d\d\1\d\d$/.test(name))
    .flatMap(daysIn)
    .at(-1)
  if (named !== undefined && folder !== undefined && named !== folder)
    throw bodyRefused('two_days', {
      en: `The name says ${named} and its folder ${folder}; name the file for the day it was fetched for.`,
      zh: `檔名的日期為 ${named}，資料夾的日期為 ${folder}；請以取得資料的日期命名檔案。`,
    })
  return named ?? folder
}

/** Instructions for stating a file's day in its path. */
export const HOW_TO_TELL: Words = {
  en: 'In the inbox, the file name or the folder has the day, such as T86_20230130.json or 2023-01-30/.',
  zh: '收件匣中的檔案以檔名（例如 T86_20230130.json）或資料夾（例如 2023-01-30/）標示日期。',
}
