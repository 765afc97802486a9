import {
  ENTITIES,
  type EntityType,
  type Field,
  type Fields,
  listedFields,
  meets,
  PLANS,
  type PlanId,
  UPGRADE_URL,
} from '../../catalog/index.ts'
import { type Fault, faultWords, nearest, ofDataset, Refusal, type Words } from '../core/index.ts'
import { clip, fault, fullMatch } from '../read/index.ts'

/** The values are not yet checked against the catalog. */
export interface QueryParams {
  readonly entity_type: EntityType
  readonly entity_id: string | null
  readonly entity_ids: string | null
  readonly 'entity_ids[]': readonly string[]
  readonly fields: string | null
  readonly 'fields[]': readonly string[]
  readonly as_of_date: string | null
  readonly minimal_fields: boolean
}

/** Entities and fields are distinct, and in the order of the request. */
export interface FieldQuery {
  readonly entityType: EntityType
  readonly entities: readonly string[]
  readonly fields: readonly Field[]
  readonly asOf: string
  readonly minimal: boolean
}

export const MOST_ENTITIES = 100
const MOST_FAULTS = 20

/**
 * @param today current day in Taipei
 * @throws Refusal invalid_parameter with all errors and the available fields; plan_required if the
 * plan includes no default field
 */
export function readFieldQuery(all: Fields, params: QueryParams, plan: PlanId, today: string): FieldQuery {
  const { entity_type: entityType, as_of_date: asOf, minimal_fields: minimal } = params
  const knownFields = all.get(entityType)!
  const faults: Fault[] = []
  const entities = readEntities(params, faults)
  const names = readNames(params, knownFields, faults)
  if (asOf !== null && asOf > today) faults.push(fault('as_of_date', notAfter(today), 'range', asOf))
  if (faults.length > 0) throw refusal(faults.slice(0, MOST_FAULTS), knownFields)
  const fields = names === null ? defaults(knownFields, plan) : names.map(name => knownFields.get(name)!)
  return { entityType, entities, fields, asOf: asOf ?? today, minimal }
}

const refusal = (faults: readonly Fault[], knownFields: ReadonlyMap<string, Field>): Refusal =>
  new Refusal(
    'invalid_parameter',
    faults.some(({ type }) => type === 'unknown_field') ? { allowed: listedFields(knownFields).map(({ name }) => name) } : {},
    faultWords(faults),
    faults,
  )

const notAfter = (today: string): Words => ({
  en: `as_of_date must not be after today (${today} in Taipei)`,
  zh: `as_of_date 不得晚於今天（臺北時間 ${today}）`,
})
const idsOf = (name: string, type: EntityType, example: string): Words => ({
  en: `${name} must contain ids of ${type}, for example ${example}`,
  zh: `${name} 必須是 ${type} 的識別碼，例如 ${example}`,
})

const listed = (text: string): readonly string[] => text.split(',').map(value => value.trim())

function readEntities(params: QueryParams, faults: Fault[]): readonly string[] {
  const { pattern, fold, example } = ENTITIES[params.entity_type]
  const shape = fullMatch(pattern)
  const entities = new Set<string>()
  const add = (name: string, sent: string): void => {
    const id = fold === 'upper' ? sent.replace(/[a-z]+/g, letters => letters.toUpperCase()) : sent
    if (shape.test(id)) entities.add(id)
    else faults.push(fault(name, idsOf(name, params.entity_type, example), 'pattern', sent))
  }
  if (params.entity_id !== null) add('entity_id', params.entity_id)
  if (params.entity_ids !== null) for (const id of listed(params.entity_ids)) add('entity_ids', id)
  for (const id of params['entity_ids[]']) add('entity_ids[]', id)
  if (entities.size > MOST_ENTITIES) {
    const words = {
      en: `entity_ids accepts at most ${MOST_ENTITIES} ids in total, ${entities.size} were sent`,
      zh: `entity_ids 合計最多 ${MOST_ENTITIES} 個識別碼，傳送了 ${entities.size} 個`,
    }
    faults.unshift(fault('entity_ids', words, 'too_many'))
  }
  if (entities.size === 0 && faults.length === 0) {
    const words = {
      en: `at least one ${params.entity_type} is required in entity_id, entity_ids or entity_ids[]`,
      zh: `請在 entity_id、entity_ids 或 entity_ids[] 中至少指定一個 ${params.entity_type}`,
    }
    faults.push(fault('entity_ids', words, 'missing'))
  }
  return [...entities]
}

/** Null if the request names no field. */
function readNames(params: QueryParams, knownFields: ReadonlyMap<string, Field>, faults: Fault[]): readonly string[] | null {
  const names = new Set<string>()
  const unknown: [param: string, name: string][] = []
  const add = (param: string, name: string): void => {
    if (knownFields.has(name)) names.add(name)
    else unknown.push([param, name])
  }
  if (params.fields !== null) for (const name of listed(params.fields)) add('fields', name)
  for (const name of params['fields[]']) add('fields[]', name)
  if (params.fields === null && params['fields[]'].length === 0) return null
  for (const [param, name] of unknown.slice(0, MOST_FAULTS)) faults.push(unknownFault(param, name, params.entity_type, knownFields))
  return [...names]
}

function unknownFault(param: string, name: string, type: EntityType, knownFields: ReadonlyMap<string, Field>): Fault {
  const empty = {
    en: `${param} contains an empty name: specify fields of ${type}, or omit ${param} for the default fields`,
    zh: `${param} 含有空的名稱；請指定 ${type} 的欄位，或省略 ${param} 以使用預設欄位`,
  }
  const guess = suggestedField(name, knownFields)
  const unknown = {
    en: `${clip(name)} is not a field of ${type}; ${guess ? `did you mean ${guess}?` : '/v2/query/fields lists all fields'}`,
    zh: `${clip(name)} 不是 ${type} 的欄位；${guess ? `您是指 ${guess} 嗎？` : '所有欄位見 /v2/query/fields'}`,
  }
  return fault(param, name === '' ? empty : unknown, 'unknown_field', name)
}

/** Also accepts a name without the prefix, such as `earnings.`. */
function suggestedField(name: string, knownFields: ReadonlyMap<string, Field>): string | undefined {
  const wordOf = (field: string): string => field.slice(field.indexOf('.') + 1)
  const placeOf = (field: string): number => field.length - (knownFields.get(field)!.isDefault ? 1_000 : 0)
  const names = listedFields(knownFields).map(field => field.name)
  const lastFirst = names.toSorted((a, b) => placeOf(b) - placeOf(a))
  const byWord = new Map(lastFirst.map(field => [wordOf(field), field]))
  for (const { name: alias, aliasOf } of knownFields.values()) if (aliasOf !== null) byWord.set(alias, aliasOf)
  const guess = nearest(name, [...names, ...byWord.keys()])
  return guess === undefined || names.includes(guess) ? guess : byWord.get(guess)
}

function defaults(knownFields: ReadonlyMap<string, Field>, plan: PlanId): readonly Field[] {
  const chosen = [...knownFields.values()].filter(({ isDefault }) => isDefault)
  const allowed = chosen.filter(field => meets(plan, field.plan))
  if (allowed.length === 0) throw noneIncluded(chosen, plan)
  return allowed
}

/** Returns a refusal that names the lowest plan with a default field. */
function noneIncluded(chosen: readonly Field[], plan: PlanId): Refusal {
  const [cheapest] = chosen.toSorted((a, b) => PLANS[a.plan].rank - PLANS[b.plan].rank)
  const type = cheapest!.view.entity
  const facts = { ...planFacts(cheapest!, plan), fields: chosen.filter(field => field.plan === cheapest!.plan).map(({ name }) => name) }
  return new Refusal('plan_required', facts, {
    en: `Your plan includes no default fields of ${type}; the lowest plan that includes some is ${cheapest!.plan}. Upgrade, or specify fields of your plan (/v2/query/fields?entity_type=${type} lists the plan of each field).`,
    zh: `您的方案不含 ${type} 的預設欄位；至少需要 ${cheapest!.plan} 方案。請升級，或改為指定方案所含的欄位（/v2/query/fields?entity_type=${type} 列出各欄位的方案）。`,
  })
}

const planFacts = (field: Field, plan: PlanId) => ({
  ...ofDataset(field.dataset),
  required_plan: field.plan,
  current_plan: plan,
  upgrade_url: UPGRADE_URL,
})

/** @throws Refusal plan_required with the lowest plan that includes all fields */
export function requirePlan(fields: readonly Field[], plan: PlanId): void {
  const notIncluded = fields.filter(field => !meets(plan, field.plan))
  if (notIncluded.length === 0) return
  const [highest] = notIncluded.toSorted((a, b) => highestFirst(a.plan, b.plan))
  const facts = { ...planFacts(highest!, plan), fields: notIncluded.map(({ name }) => name) }
  const names = facts.fields.length > 5 ? `${facts.fields.slice(0, 5).join(', ')} and more` : facts.fields.join(', ')
  throw new Refusal('plan_required', facts, {
    en: `These fields require the ${highest!.plan} plan: ${names}. Omit them, or upgrade.`,
    zh: `下列欄位至少需要 ${highest!.plan} 方案：${names}。請省略這些欄位，或升級方案。`,
  })
}

/** Undefined for an empty list. */
export const requiredPlan = (fields: readonly Field[]): PlanId | undefined => fields.map(({ plan }) => plan).sort(highestFirst)[0]

const highestFirst = (a: PlanId, b: PlanId): number => PLANS[b].rank - PLANS[a].rank

/** Ignores unknown names, which other checks refuse. */
export function requestedFields(all: Fields, query: Readonly<Record<string, unknown>>): readonly Field[] {
  const knownFields = [...all].find(([type]) => type === query['entity_type'])?.[1]
  if (!knownFields) return []
  const listed = typeof query['fields'] === 'string' ? query['fields'].split(',').map(name => name.trim()) : []
  const requestedNames = [...listed, query['fields[]'] ?? []].flat().map(String)
  return [...new Set(requestedNames)].flatMap(name => knownFields.get(name) ?? [])
}
