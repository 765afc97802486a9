import type { FeedEntry } from '../../coverage/index.ts'
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
    const sample = synthetic ? say({ en: ' (sample data)', zh: '（合成資料）' }) : ''
    return html`<entry>
<id>${self}#${dataset.slug}-${id}</id>
<title>${say({ en: dataset.title, zh: dataset.titleZh })}${say({ en: ': ', zh: '：' })}${say(KIND[kind])}${sample}</title>
<updated>${changedAt}</updated>
<link href="${page}"/>
<summary>${say({
      en: `Data to ${day}; ${changes.rows_added} rows added, ${changes.rows_changed} changed, ${changes.rows_removed} removed.`,
      zh: `資料至 ${day}；新增 ${changes.rows_added} 列、變更 ${changes.rows_changed} 列、移除 ${changes.rows_removed} 列。`,
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
