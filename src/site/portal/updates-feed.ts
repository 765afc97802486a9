import type { FeedEntry } from '../../coverage/index.ts'
import { whole } from './home.ts'
import { html } from './html.ts'
import { inLanguage, type Language } from './shell.ts'

const MOST = 50

const KIND = {
  new_rows: { en: 'new rows', zh: '新增資料' },
  backfill: { en: 'earlier days filled in', zh: '補入較早資料' },
  revision: { en: 'revision', zh: '修訂' },
  schema_change: { en: 'columns changed', zh: '欄位變更' },
  withdrawal: { en: 'withdrawn', zh: '撤回' },
} as const

/** @param entries publications, newest first */
export function updatesFeed(entries: readonly FeedEntry[], origin: string, language: Language): Buffer {
  const say = <W extends Readonly<Record<Language, string>>>(words: W): string => words[language]
  const self = `${origin}${inLanguage('/updates.atom', language)}`
  const items = entries.slice(0, MOST).map(({ dataset, id, kind, changedAt, data_as_of: day, changes, synthetic }) => {
    const page = `${origin}${inLanguage(`/datasets/${dataset.slug}`, language)}`
    const [added, changed, removed] = [changes.rows_added, changes.rows_changed, changes.rows_removed].map(whole.format)
    const sample = synthetic ? say({ en: ' (sample data)', zh: '（合成資料）' }) : ''
    return html`<entry>
<id>${self}#${dataset.slug}-${id}</id>
<title>${say({ en: dataset.title, zh: dataset.titleZh })}${say({ en: ': ', zh: '：' })}${say(KIND[kind])}${sample}</title>
<updated>${changedAt}</updated>
<link href="${page}"/>
<summary>${say({
      en: `Data to ${day}; ${added} rows added, ${changed} changed, ${removed} removed.`,
      zh: `資料至 ${day}；新增 ${added} 列、變更 ${changed} 列、移除 ${removed} 列。`,
    })}</summary>
</entry>
`
  })
  return Buffer.from(
    html`<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${language === 'en' ? 'en' : 'zh-Hant'}">
<id>${self}</id>
<title>${say({ en: 'twmd: data updates', zh: 'twmd：資料更新' })}</title>
<updated>${entries[0]?.changedAt ?? '1970-01-01T00:00:00Z'}</updated>
<link rel="self" href="${self}"/>
<link href="${origin}${inLanguage('/status', language)}"/>
<author><name>twmd</name></author>
${items}</feed>
`.html,
  )
}
