import { clipped, type Refusal, type RefusalCode, type Words } from '../core/index.ts'

/** Advice for agents, in addition to the message of a refusal. */
const NEXT_STEPS: Partial<Record<RefusalCode, Words>> = {
  unknown_dataset: {
    en: 'Call describe_dataset without arguments for all dataset names, or find with type dataset.',
    zh: '請呼叫 describe_dataset（不帶參數）取得所有名稱，或以 find 搜尋類型 dataset。',
  },
  invalid_parameter: {
    en: 'Correct the arguments and call again. describe_dataset lists columns and filters; find lists field names.',
    zh: '請修正參數後再次呼叫。describe_dataset 列出欄位與篩選條件，find 可找到欄位名稱。',
  },
  unbounded_read: {
    en: 'Add the listed filters, or read one day of all keys with cross_section.',
    zh: '請加上所列的篩選條件，或以 cross_section 讀取單日所有代號。',
  },
  invalid_cursor: {
    en: 'Send next_cursor unchanged with the same arguments, or omit cursor.',
    zh: '請以相同參數原樣傳送 next_cursor，或省略 cursor。',
  },
  missing_api_key: {
    en: 'Inform the user that a key is required. Calling again without a key fails again.',
    zh: '請告知使用者需要金鑰。沒有金鑰時再次呼叫仍會失敗。',
  },
  credits_exhausted: {
    en: 'Stop calling priced tools until resets_at, and inform the user. describe_dataset and whats_new are free.',
    zh: '在 resets_at 之前請勿呼叫計價的工具，並告知使用者。describe_dataset 與 whats_new 免費。',
  },
  query_timeout: { en: 'Narrow the filters to fewer keys or days and call again.', zh: '請縮小代號或日期範圍後再次呼叫。' },
  release_retired: {
    en: 'Omit release, or send as_of with first_day if it is present. Omit cursor if one was sent.',
    zh: '請省略 release，或在有 first_day 時以其為 as_of；若有 cursor 亦請省略。',
  },
  dataset_building: {
    en: 'Read another dataset. describe_dataset without arguments lists the datasets with data.',
    zh: '請改讀其他資料集。describe_dataset（不帶參數）列出有資料的資料集。',
  },
}

/** Low, because language models read the whole text. */
const MAX_FAULTS = 10
const MAX_CHARACTERS = 2_000
const MAX_TOTAL_CHARACTERS = 4_000
const MAX_NAME_CHARACTERS = 100

/** Clips names, because callers can send names of any length. */
const clippedLoc = (loc: readonly (string | number)[]): readonly (string | number)[] =>
  (loc[0] === 'query' ? loc.slice(1) : loc).map(step => (typeof step === 'string' ? clipped(step, MAX_NAME_CHARACTERS) : step))

/** Includes the first faults, and facts such as `retry_after`. */
export function refusalView(refusal: Refusal, requestId: string, language: keyof Words) {
  const { dataset = null, ...facts } = refusal.facts
  const listedFaults = refusal.faults.slice(0, MAX_FAULTS)
  const perFault = Math.min(MAX_CHARACTERS, MAX_TOTAL_CHARACTERS / listedFaults.length)
  const planTexts = refusal.code === 'plan_required' ? planWords(facts as unknown as PlanFacts) : null
  const next = planTexts?.next ?? NEXT_STEPS[refusal.code] ?? (typeof facts['retry_after'] === 'number' ? WAIT : undefined)
  const words = planTexts && refusal.words === refusal.general ? planTexts.sentence : refusal.words
  return {
    error: {
      error_code: refusal.wireCode,
      error_message: clipped(words[language], MAX_CHARACTERS),
      ...(next && { what_next: next[language] }),
      blocking_gate: refusal.gate,
      dataset,
      request_id: requestId,
      ...facts,
      ...(listedFaults.length > 0 && {
        ...(refusal.faults.length > MAX_FAULTS && { mistakes: refusal.faults.length }),
        detail: listedFaults.map(({ loc, words, type }) => ({ loc: clippedLoc(loc), msg: clipped(words[language], perFault), type })),
      }),
    },
  }
}

const WAIT: Words = { en: 'Wait retry_after seconds, then call again.', zh: '請等待 retry_after 秒後再次呼叫。' }

interface PlanFacts {
  readonly slug: string
  readonly required_plan: string
  readonly current_plan: string
  readonly upgrade_url: string
}

const planWords = ({ slug, required_plan: required, current_plan: current, upgrade_url: plans }: PlanFacts) => ({
  sentence: {
    en: `${slug} requires the ${required} plan. The current plan is ${current}.`,
    zh: `${slug} 至少需要 ${required} 方案。目前方案為 ${current}。`,
  },
  next: {
    en: `Calling again fails again. Ask the user to select the ${required} plan at /account of this service (${plans} compares the plans), or use a dataset of the ${current} plan, listed by describe_dataset.`,
    zh: `再次呼叫仍會失敗。請告知使用者至少需要 ${required} 方案，可於本服務的 /account 變更（${plans} 比較各方案），或改用 ${current} 方案的資料集（見 describe_dataset）。`,
  },
})
