import { Refusal, type Words } from '../../src/core/index.ts'
import { type Content, contentOf } from './content.ts'
import { emptinessOf } from './emptiness.ts'
import { bodyRefused, type Feed, type Parsed } from './feed.ts'
import { pageTitle } from './html.ts'
import { tablesOf } from './table.ts'

export interface Readers {
  readonly json?: (value: unknown, requestedDay: string | undefined) => Parsed
  readonly html?: (page: string, requestedDay: string | undefined) => Parsed
  readonly csv?: (text: string, requestedDay: string | undefined) => Parsed
}

/** Words of error pages that are sent with status 200. */
const DENIALS: readonly (readonly [sign: RegExp, hint: Words])[] = [
  [
    /安全性考量/,
    {
      en: "The site's security check blocked the request: wait, then fetch more slowly",
      zh: '網站的安全檢查擋下了請求；請稍候，並放慢取得的速度',
    },
  ],
  [
    /查詢過於頻繁/,
    {
      en: 'The site reports too many queries: retry later, and fetch more slowly',
      zh: '網站表示查詢過於頻繁；請稍後重試，並放慢取得的速度',
    },
  ],
  [/檔案不存在/, { en: 'The site reports that the file does not exist: check the address', zh: '網站表示檔案不存在；請檢查網址' }],
]
const HOME = /櫃買中心|首頁|<form|<nav/i

export function notThePublication(text: string): Error {
  const home = HOME.test(text)
    ? { en: 'The page looks like a home page or search page: check the path and parameters', zh: '看來是首頁或查詢頁；請檢查路徑與參數' }
    : { en: 'Check the address and fetch the file again', zh: '請檢查網址並重新取得' }
  const hint = DENIALS.find(([sign]) => sign.test(text))?.[1] ?? home
  const title = pageTitle(text)
  const words = {
    en: `The file is a web page${title === '' ? '' : ` ("${title}")`}, not data. ${hint.en}.`,
    zh: `檔案是網頁${title === '' ? '' : `「${title}」`}，不是資料。${hint.zh}。`,
  }
  return bodyRefused('not_the_publication', words, { title, characters: text.length })
}

function read(content: Content, readers: Readers, requestedDay: string | undefined): Parsed {
  if (content.form === 'html') {
    if (readers.html === undefined || DENIALS.some(([sign]) => sign.test(content.text))) throw notThePublication(content.text)
    return readers.html(content.text, requestedDay)
  }
  if (content.form === 'json' && readers.json) return readers.json(content.value, requestedDay)
  if (content.form === 'csv' && readers.csv) return readers.csv(content.text, requestedDay)
  const read = Object.keys(readers).join(', ').toUpperCase()
  throw bodyRefused(
    'wrong_table',
    {
      en: `The file is ${content.form.toUpperCase()}, but this feed reads ${read}. If another feed reads this file, use that feed (see twmd ingest --help).`,
      zh: `檔案為 ${content.form.toUpperCase()}，此資料來源則讀取 ${read}。若有其他資料來源可讀取此檔案，請改用該來源（見 twmd ingest --help）。`,
    },
    { form: content.form },
  )
}

/**
 * Refuses an empty file with headings of another table. Otherwise, an empty file of another feed
 * would be accepted.
 *
 * @throws Refusal wrong_table
 */
function requireOwnTable(content: Content, readers: Readers, requestedDay: string | undefined): void {
  if (content.form !== 'json' || tablesOf(content.value).every(({ fields }) => fields.length === 0)) return
  try {
    read(content, readers, requestedDay)
  } catch (error) {
    if (error instanceof Refusal && error.facts['rule'] === 'wrong_table') throw error
  }
}

/** Creates the `parse` function of a feed, from the parsers by format. */
export function parseBy(readers: Readers): Feed['parse'] {
  return (body, requestedDay) => {
    const content = contentOf(body)
    const empty = emptinessOf(content, requestedDay)
    if (empty !== undefined) requireOwnTable(content, readers, requestedDay)
    const parsed = empty ?? read(content, readers, requestedDay)
    if (parsed.kind === 'empty' || content.notes.length === 0) return parsed
    return { ...parsed, notes: [...content.notes, ...(parsed.notes ?? [])] }
  }
}
