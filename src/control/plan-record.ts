import { BUILT_IN_PLANS, PLANS } from '../../catalog/index.ts'
import { planChanges, plansAsFile } from '../core/index.ts'
import type { AuditLog } from '../state/index.ts'

export function recordPlans(audit: AuditLog, now: Date): void {
  const filter = { accountId: null, action: 'plans changed', actor: null, from: null, to: null, before: null, limit: 1 } as const
  const [last] = audit.page(filter).entries
  const recorded = last ? (JSON.parse(last.facts) as { readonly plans: ReturnType<typeof plansAsFile> }).plans : plansAsFile(BUILT_IN_PLANS)
  const plans = plansAsFile(PLANS)
  const changes = planChanges(recorded, plans)
  if (changes.length > 0) audit.write({ actor: 'operator', action: 'plans changed', accountId: null, facts: { changes, plans } }, now)
}
