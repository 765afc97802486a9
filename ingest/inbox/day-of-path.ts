import { isDay, type Words } from '../../src/core/index.ts'
import { bodyRefused } from '../formats/index.ts'

/** `2023-01-30` or `20230130`, without adjacent digits. */
const DAY = /(?<!\d)(\d{4})(-?)(\d\d)\2(\d\d)(?!\d)/g

function daysIn(name: string): readonly string[] {
  const days = [...name.matchAll(DAY)].map(([, year, , month, day]) => `${year}-${month}-${day}`)
  return [...new Set(days.filter(isDay))]
}

/**
 * Returns the day in the file name, or else in the nearest folder name. Undefined without a day,
 * or if a name has several.
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
      en: `The file name has the date ${named}, but its folder has ${folder}. Rename one so that both have the date of the data.`,
      zh: `檔名的日期為 ${named}，資料夾的日期則為 ${folder}；請將兩者改為資料的日期。`,
    })
  return named ?? folder
}

export const HOW_TO_TELL: Words = {
  en: 'In the inbox, put the date into the file name (T86_20230130.json) or the folder name (2023-01-30/).',
  zh: '收件匣中的檔案，請在檔名（T86_20230130.json）或資料夾名稱（2023-01-30/）標示日期。',
}
