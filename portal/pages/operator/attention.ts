import type { CatalogDataset, FeedRun } from '../../../clients/typescript/src/index.ts'
import type { Snapshot } from './sections.ts'

/** Not imported from `language.ts`, which uses the DOM, so that tests can import this module. */
type Words = Readonly<Record<'en' | 'zh', string>>

export interface Concern {
  /**
   * `broken`: customers are affected, or data may be lost. `decide`: the operator must decide.
   * `watch`: the problem may resolve itself.
   */
  readonly kind: 'broken' | 'decide' | 'watch'
  readonly section: keyof Snapshot
  readonly words: Words
}

const ORDER = ['broken', 'decide', 'watch'] as const

/** Fields that state whether a dataset is overdue. */
export type Standing = Pick<CatalogDataset, 'title' | 'title_zh' | 'freshness_state' | 'data_as_of'>

/**
 * Returns the problems, most urgent first. Sections that were not loaded are skipped.
 *
 * @param standings entries of the catalog
 */
export function concernsOf(snapshot: Snapshot, standings: readonly Standing[] = []): readonly Concern[] {
  const all = [
    ...ofDamage(snapshot),
    ...ofStandings(standings),
    ...ofQueues(snapshot),
    ...ofQuarantine(snapshot),
    ...ofInbox(snapshot),
    ...ofFeeds(snapshot),
  ]
  return ORDER.flatMap(kind => all.filter(concern => concern.kind === kind))
}

const files = (count: number): string => `${count} ${count === 1 ? 'file' : 'files'}`

const ofDamage = ({ damage, releases }: Snapshot): readonly Concern[] =>
  (damage?.data ?? []).map(({ slug, fallback }) => {
    const { title, title_zh } = releases?.data.find(dataset => dataset.slug === slug) ?? { title: slug, title_zh: slug }
    return {
      kind: 'broken',
      section: 'damage',
      words:
        fallback === null
          ? { en: `${title} is damaged; reads are refused`, zh: `${title_zh}已損毀，無法讀取` }
          : { en: `${title} is damaged; an older release is served`, zh: `${title_zh}已損毀，目前提供較舊版本` },
    }
  })

const ofStandings = (standings: readonly Standing[]): readonly Concern[] =>
  standings
    .filter(({ freshness_state: state }) => state === 'late')
    .map(({ title, title_zh, data_as_of: day }) => ({
      kind: 'broken',
      section: 'releases',
      words: {
        en: `${title} is overdue${day === null ? '' : `; its newest day is ${day}`}`,
        zh: `${title_zh}逾期${day === null ? '' : `，資料至 ${day}`}`,
      },
    }))

function ofQueues({ queues }: Snapshot): readonly Concern[] {
  if (!queues) return []
  const { ledger, mail, payment_events: events, webhooks } = queues
  const concern = (kind: Concern['kind'], isTrue: boolean, words: Words): readonly Concern[] =>
    isTrue ? [{ kind, section: 'queues', words }] : []
  const isStuck = ({ waiting, attempts }: typeof events): boolean => waiting > 0 && attempts > 0
  return [
    ...concern('broken', ledger.owed > 0, {
      en: `${ledger.owed} charged reads not in the ledger: the disk cannot be written`,
      zh: `${ledger.owed} 筆用量待入帳：磁碟無法寫入`,
    }),
    ...concern('broken', isStuck(events), {
      en: `Payment events fail; ${events.waiting} waiting`,
      zh: `${events.waiting} 筆付款事件待處理，目前均失敗`,
    }),
    ...concern('broken', isStuck(mail), {
      en: `Mail cannot be sent; ${mail.waiting} waiting, ${mail.codes} of them sign-in codes`,
      zh: `${mail.waiting} 封郵件待寄，目前均失敗，其中 ${mail.codes} 封為登入驗證碼`,
    }),
    ...concern('decide', webhooks.failing > 0, {
      en: `${webhooks.failing} of ${webhooks.endpoints} webhook endpoints fail`,
      zh: `${webhooks.endpoints} 個 Webhook 中有 ${webhooks.failing} 個失敗`,
    }),
    ...concern('watch', mail.given_up > 0, {
      en: `Mails given up in the last day: ${mail.given_up}`,
      zh: `最近一日有 ${mail.given_up} 封郵件放棄寄送`,
    }),
  ]
}

const ofQuarantine = ({ quarantine }: Snapshot): readonly Concern[] =>
  quarantine && quarantine.kept > 0
    ? [
        {
          kind: 'decide',
          section: 'quarantine',
          words: { en: `${files(quarantine.kept)} refused, waiting for a decision`, zh: `${quarantine.kept} 個檔案遭拒，待決定` },
        },
      ]
    : []

function ofInbox({ inbox }: Snapshot): readonly Concern[] {
  if (!inbox) return []
  const [left, waiting] = [inbox.left.length, inbox.waiting_count]
  const leftWords = { en: `${files(left)} left in the inbox`, zh: `收件匣有 ${left} 個檔案未匯入` }
  const waitingWords = {
    en: `${files(waiting)} in the inbox, but no process imports them`,
    zh: `收件匣有 ${waiting} 個檔案，但沒有程序匯入`,
  }
  return [
    ...(left > 0 ? [{ kind: 'decide', section: 'inbox', words: leftWords } as const] : []),
    ...(waiting > 0 && !inbox.watching ? [{ kind: 'decide', section: 'inbox', words: waitingWords } as const] : []),
  ]
}

export const RUN: Readonly<Record<NonNullable<FeedRun['last_run']>['outcome'], Words>> = {
  came: { en: 'fetched', zh: '已取得' },
  late: { en: 'late', zh: '逾期' },
  unreachable: { en: 'unreachable', zh: '無法連線' },
  refused: { en: 'refused', zh: '遭拒' },
}

const ofFeeds = (snapshot: Snapshot): readonly Concern[] => [...ofDaysAtRisk(snapshot), ...ofRuns(snapshot)]

export const riskWords = ({ day, days }: NonNullable<FeedRun['at_risk']>): Words => ({
  en: `${day}${days > 1 ? ` and ${days - 1} later ${days === 2 ? 'day' : 'days'}` : ''} will be lost`,
  zh: days > 1 ? `${day} 起共 ${days} 日資料即將無法取得` : `${day} 的資料即將無法取得`,
})

const ofDaysAtRisk = ({ feeds }: Snapshot): readonly Concern[] =>
  (feeds?.data ?? []).flatMap(({ feed, at_risk: risk }) => {
    if (risk === null) return []
    const { en, zh } = riskWords(risk)
    return [{ kind: 'broken', section: 'feeds', words: { en: `${feed}: ${en}`, zh: `${feed}：${zh}` } } as const]
  })

const ofRuns = ({ feeds }: Snapshot): readonly Concern[] =>
  (feeds?.data ?? []).flatMap(({ feed, last_run: run, tries }) => {
    if (!run || run.outcome === 'came') return []
    const { en, zh } = RUN[run.outcome]
    const times = Math.max(tries, 1)
    const words = { en: `${feed}: ${en}, ${times} ${times === 1 ? 'time' : 'times'} in a row`, zh: `${feed}：${zh}，連續 ${times} 次` }
    return [{ kind: run.outcome === 'refused' ? 'decide' : 'watch', section: 'feeds', words } as const]
  })
