import { type Field, type Fields, meets, PLANS, type PlanId } from '../../catalog/index.ts'
import { Refusal } from '../core/index.ts'

/** @throws Refusal plan_required naming the fields above the plan, and the least plan that includes them all */
export function requirePlan(fields: readonly Field[], plan: PlanId): void {
  const above = fields.filter(field => !meets(plan, field.plan))
  if (above.length === 0) return
  const [dearest] = above.toSorted((a, b) => PLANS[b.plan].rank - PLANS[a.plan].rank)
  const facts = {
    dataset: dearest!.dataset.id,
    fields: above.map(({ name }) => name),
    required_plan: dearest!.plan,
    current_plan: plan,
    upgrade_url: '/v2/product/tiers',
  }
  const names = facts.fields.length > 5 ? `${facts.fields.slice(0, 5).join(', ')} and more` : facts.fields.join(', ')
  throw new Refusal('plan_required', facts, `These fields need plan ${dearest!.plan}: ${names}. Leave them out, or move to that plan.`)
}

/** Fields a query string names, as far as it can be read: plans are looked at before parameters are. */
export function fieldsNamed(all: Fields, query: Readonly<Record<string, unknown>>): readonly Field[] {
  const known = [...all].find(([type]) => type === query['entity_type'])?.[1]
  if (!known) return []
  const listed = typeof query['fields'] === 'string' ? query['fields'].split(',').map(name => name.trim()) : []
  const named = [...listed, query['fields[]'] ?? []].flat().map(String)
  return [...new Set(named)].flatMap(name => known.get(name) ?? [])
}
