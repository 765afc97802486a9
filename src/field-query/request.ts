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

/** Parameters of the field query, parsed but not yet checked against the catalog. */
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

/** A field query as a value: ids and fields distinct, in the order they were first named. */
export interface FieldQuery {
  readonly entityType: EntityType
  readonly entities: readonly string[]
  readonly fields: readonly Field[]
  readonly asOf: string
  readonly minimal: boolean
}

/** Maximum number of entities in one query. */
export const MOST_ENTITIES = 100
/** Maximum number of mistakes named in one refusal. */
const MOST_FAULTS = 20

/**
 * Checks a field query against the catalog.
 *
 * @param today in Taipei
 * @throws Refusal invalid_parameter naming every mistake, with the existing field names; plan_required where the plan includes no default
 *   field
 */
export function readFieldQuery(all: Fields, params: QueryParams, plan: PlanId, today: string): FieldQuery {
  const { entity_type: entityType, as_of_date: asOf, minimal_fields: minimal } = params
  const known = all.get(entityType)!
  const faults: Fault[] = []
  const entities = readEntities(params, faults)
  const names = readNames(params, known, faults)
  if (asOf !== null && asOf > today) faults.push(fault('as_of_date', notAfter(today), 'range', asOf))
  if (faults.length > 0) throw refusal(faults.slice(0, MOST_FAULTS), known)
  const fields = names === null ? defaults(known, plan) : names.map(name => known.get(name)!)
  return { entityType, entities, fields, asOf: asOf ?? today, minimal }
}

const refusal = (faults: readonly Fault[], known: ReadonlyMap<string, Field>): Refusal =>
  new Refusal(
    'invalid_parameter',
    faults.some(({ type }) => type === 'unknown_field') ? { allowed: listedFields(known).map(({ name }) => name) } : {},
    faultWords(faults),
    faults,
  )

const notAfter = (today: string): Words => ({
  en: `as_of_date must not be after today, ${today} in Taipei`,
  zh: `as_of_date 不得晚於今天（臺北時間 ${today}）`,
})
const idsOf = (name: string, type: EntityType, example: string): Words => ({
  en: `${name} must name ids of ${type}, such as ${example}`,
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
      en: `entity_ids takes at most ${MOST_ENTITIES} ids in all, ${entities.size} were sent`,
      zh: `entity_ids 合計最多 ${MOST_ENTITIES} 個識別碼，傳送了 ${entities.size} 個`,
    }
    faults.unshift(fault('entity_ids', words, 'too_many'))
  }
  if (entities.size === 0 && faults.length === 0) {
    const words = {
      en: `name at least one ${params.entity_type} in entity_id, entity_ids or entity_ids[]`,
      zh: `請在 entity_id、entity_ids 或 entity_ids[] 中至少指定一個 ${params.entity_type}`,
    }
    faults.push(fault('entity_ids', words, 'missing'))
  }
  return [...entities]
}

/** Null when no field is named. */
function readNames(params: QueryParams, known: ReadonlyMap<string, Field>, faults: Fault[]): readonly string[] | null {
  const names = new Set<string>()
  const unknown: [param: string, name: string][] = []
  const add = (param: string, name: string): void => {
    if (known.has(name)) names.add(name)
    else unknown.push([param, name])
  }
  if (params.fields !== null) for (const name of listed(params.fields)) add('fields', name)
  for (const name of params['fields[]']) add('fields[]', name)
  if (params.fields === null && params['fields[]'].length === 0) return null
  for (const [param, name] of unknown.slice(0, MOST_FAULTS)) faults.push(unknownFault(param, name, params.entity_type, known))
  return [...names]
}

function unknownFault(param: string, name: string, type: EntityType, known: ReadonlyMap<string, Field>): Fault {
  const empty = {
    en: `${param} holds an empty name; name fields of ${type}, or leave ${param} out for the default ones`,
    zh: `${param} 含有空的名稱；請指定 ${type} 的欄位，或省略 ${param} 以使用預設欄位`,
  }
  const guess = guessed(name, known)
  const unknown = {
    en: `${clip(name)} is not a field of ${type}; ${guess ? `did you mean ${guess}?` : '/v2/query/fields lists those there are'}`,
    zh: `${clip(name)} 不是 ${type} 的欄位；${guess ? `您是指 ${guess} 嗎？` : '/v2/query/fields 列出可用的欄位'}`,
  }
  return fault(param, name === '' ? empty : unknown, 'unknown_field', name)
}

/** The field probably meant, with or without its group. Among several groups default fields come first, then the shortest name. */
function guessed(name: string, known: ReadonlyMap<string, Field>): string | undefined {
  const wordOf = (field: string): string => field.slice(field.indexOf('.') + 1)
  const placeOf = (field: string): number => field.length - (known.get(field)!.isDefault ? 1_000 : 0)
  const names = listedFields(known).map(field => field.name)
  const lastFirst = names.toSorted((a, b) => placeOf(b) - placeOf(a))
  const byWord = new Map(lastFirst.map(field => [wordOf(field), field]))
  for (const { name: alias, aliasOf } of known.values()) if (aliasOf !== null) byWord.set(alias, aliasOf)
  const guess = nearest(name, [...names, ...byWord.keys()])
  return guess === undefined || names.includes(guess) ? guess : byWord.get(guess)
}

/** The fields returned when none is named: those defaults that the plan includes. */
function defaults(known: ReadonlyMap<string, Field>, plan: PlanId): readonly Field[] {
  const chosen = [...known.values()].filter(({ isDefault }) => isDefault)
  const allowed = chosen.filter(field => meets(plan, field.plan))
  if (allowed.length === 0) throw noneIncluded(chosen, plan)
  return allowed
}

/** The refusal of who names no field, where the plan includes none of the default ones. The plan it names includes some. */
function noneIncluded(chosen: readonly Field[], plan: PlanId): Refusal {
  const [least] = chosen.toSorted((a, b) => PLANS[a.plan].rank - PLANS[b.plan].rank)
  const type = least!.view.entity
  const facts = { ...planFacts(least!, plan), fields: chosen.filter(field => field.plan === least!.plan).map(({ name }) => name) }
  return new Refusal('plan_required', facts, {
    en: `Your plan includes none of the default fields of ${type}; the lowest plan that includes some is ${least!.plan}. Move to it, or name fields your plan includes, if /v2/query/fields?entity_type=${type} lists any.`,
    zh: `您的方案不含 ${type} 的任何預設欄位；最低需要 ${least!.plan} 方案。請升級方案，或改為指定方案所含的欄位（/v2/query/fields?entity_type=${type} 列出各欄位的方案）。`,
  })
}

/** @param field of the plan that is needed */
const planFacts = (field: Field, plan: PlanId) => ({
  ...ofDataset(field.dataset),
  required_plan: field.plan,
  current_plan: plan,
  upgrade_url: UPGRADE_URL,
})

/** @throws Refusal plan_required naming the fields the plan does not include, and the lowest plan that includes them all */
export function requirePlan(fields: readonly Field[], plan: PlanId): void {
  const above = fields.filter(field => !meets(plan, field.plan))
  if (above.length === 0) return
  const [dearest] = above.toSorted((one, other) => dearestFirst(one.plan, other.plan))
  const facts = { ...planFacts(dearest!, plan), fields: above.map(({ name }) => name) }
  const names = facts.fields.length > 5 ? `${facts.fields.slice(0, 5).join(', ')} and more` : facts.fields.join(', ')
  throw new Refusal('plan_required', facts, {
    en: `These fields need plan ${dearest!.plan}: ${names}. Leave them out, or move to that plan.`,
    zh: `下列欄位需要 ${dearest!.plan} 方案：${names}。請省略這些欄位，或升級方案。`,
  })
}

/** The lowest plan that includes all of these fields; undefined for none. */
export const dearestPlan = (fields: readonly Field[]): PlanId | undefined => fields.map(({ plan }) => plan).sort(dearestFirst)[0]

const dearestFirst = (one: PlanId, other: PlanId): number => PLANS[other].rank - PLANS[one].rank

/** The fields an unchecked query string names, as far as it can be read. Plans are checked before parameters. */
export function fieldsNamed(all: Fields, query: Readonly<Record<string, unknown>>): readonly Field[] {
  const known = [...all].find(([type]) => type === query['entity_type'])?.[1]
  if (!known) return []
  const listed = typeof query['fields'] === 'string' ? query['fields'].split(',').map(name => name.trim()) : []
  const named = [...listed, query['fields[]'] ?? []].flat().map(String)
  return [...new Set(named)].flatMap(name => known.get(name) ?? [])
}
