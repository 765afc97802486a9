import { clipped, type Refusal, type RefusalCode, type Words } from '../core/index.ts'

/** What to do after a refusal, for an agent that has these tools; what is not here is said by the refusal's own sentence. */
const NEXT: Partial<Record<RefusalCode, Words>> = {
  unknown_dataset: {
    en: 'Call describe_dataset without arguments for all names, or find with type dataset.',
    zh: '請呼叫 describe_dataset（不帶參數）取得所有名稱，或以 find 搜尋類型 dataset。',
  },
  invalid_parameter: {
    en: 'Correct the arguments and call again; describe_dataset lists columns and filters, find the names of fields.',
    zh: '請修正參數後再次呼叫；describe_dataset 列出欄位與篩選條件，find 可找到欄位名稱。',
  },
  unbounded_read: {
    en: 'Add the filters that are named, or read one day of all keys with cross_section.',
    zh: '請加上所列的篩選條件，或以 cross_section 讀取單日所有代號。',
  },
  invalid_cursor: {
    en: 'Send next_cursor as it was given, with the arguments it was given for, or leave cursor out.',
    zh: '請以相同參數原樣傳送 next_cursor，或省略 cursor。',
  },
  missing_api_key: {
    en: 'Tell the person that a key is needed; calling again does not help before.',
    zh: '請告知使用者需要金鑰；在此之前再次呼叫沒有幫助。',
  },
  credits_exhausted: {
    en: 'Stop calling tools that have a price until resets_at, and tell the person; describe_dataset and whats_new cost nothing.',
    zh: '在 resets_at 之前請勿呼叫計價的工具，並告知使用者；describe_dataset 與 whats_new 免費。',
  },
  query_timeout: { en: 'Narrow the filters to fewer keys or days and call again.', zh: '請縮小代號或日期範圍後再次呼叫。' },
  release_retired: { en: 'Leave release out, and the cursor if one was sent.', zh: '請省略 release；若有 cursor 亦請省略。' },
  dataset_building: { en: 'Read another dataset; describe_dataset without arguments lists those with data.', zh: '請改讀其他資料集。' },
}

/** Mistakes that a refusal names, and characters of its sentence, of all their sentences and of a name: a model reads all of it, and nothing of it is charged. */
const [MOST_MISTAKES, MOST_CHARACTERS, MOST_OF_ALL, MOST_OF_A_NAME] = [10, 2_000, 4_000, 100]

/** Where a mistake is. A step may be a name that the caller made up. */
const placeOf = (loc: readonly (string | number)[]): readonly (string | number)[] =>
  (loc[0] === 'query' ? loc.slice(1) : loc).map(step => (typeof step === 'string' ? clipped(step, MOST_OF_A_NAME) : step))

/** How a tool tells that it refused. Of very many mistakes it names the first ones. A refusal's own facts come last, for example retry_after, required_plan or did_you_mean. */
export function refusedView(refusal: Refusal, requestId: string, language: keyof Words) {
  const { dataset = null, ...facts } = refusal.facts
  const named = refusal.faults.slice(0, MOST_MISTAKES)
  const share = Math.min(MOST_CHARACTERS, MOST_OF_ALL / named.length)
  const ofPlan = refusal.code === 'plan_required' ? planWords(facts as unknown as PlanFacts) : null
  const next = ofPlan?.next ?? NEXT[refusal.code] ?? (typeof facts['retry_after'] === 'number' ? WAIT : undefined)
  const words = ofPlan && refusal.words === refusal.general ? ofPlan.sentence : refusal.words
  return {
    error: {
      error_code: refusal.wireCode,
      error_message: clipped(words[language], MOST_CHARACTERS),
      ...(next && { what_next: next[language] }),
      blocking_gate: refusal.gate,
      dataset,
      request_id: requestId,
      ...facts,
      ...(named.length > 0 && {
        ...(refusal.faults.length > MOST_MISTAKES && { mistakes: refusal.faults.length }),
        detail: named.map(({ loc, words, type }) => ({ loc: placeOf(loc), msg: clipped(words[language], share), type })),
      }),
    },
  }
}

const WAIT: Words = { en: 'Wait retry_after seconds, then call again.', zh: '請等待 retry_after 秒後再次呼叫。' }

/** Facts of a refusal for want of a plan. */
interface PlanFacts {
  readonly slug: string
  readonly required_plan: string
  readonly current_plan: string
  readonly upgrade_url: string
}

/** Which plan it takes, which one the caller reads with and who changes that, where; the sentence of the code names neither. */
const planWords = ({ slug, required_plan: required, current_plan: current, upgrade_url: plans }: PlanFacts) => ({
  sentence: {
    en: `${slug} needs the plan ${required}; the present plan is ${current}.`,
    zh: `${slug} 需要 ${required} 方案；目前方案為 ${current}。`,
  },
  next: {
    en: `Calling again does not help: tell the person that it takes the plan ${required}, to which the account is moved at /account of this service (${plans} compares the plans), or use a dataset of the plan ${current}; describe_dataset says which.`,
    zh: `再次呼叫沒有幫助：請告知使用者需要 ${required} 方案，可於本服務的 /account 變更（${plans} 比較各方案），或改用 ${current} 方案的資料集（見 describe_dataset）。`,
  },
})
