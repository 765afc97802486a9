import { FORMATS, PLANS } from '../../catalog/index.ts'
import { statusOf } from '../releases/index.ts'
import type { CatalogState } from './catalog-state.ts'

export function tiersView() {
  const plans = Object.values(PLANS).toSorted((a, b) => a.rank - b.rank)
  const data = plans.map(({ id, name, rank, price, creditsPerMonth, rowLimit, requestsPerMinute, requestsAtOnce, features }) => ({
    plan_id: id,
    name,
    rank,
    price: { ...price, period: 'month' as const },
    included_credits: creditsPerMonth,
    row_limit: rowLimit,
    rate_limits: { requests_per_minute: requestsPerMinute, requests_at_once: requestsAtOnce },
    formats: FORMATS,
    features,
  }))
  return { data, data_count: data.length }
}

export function productView({ datasets }: CatalogState) {
  const data = datasets.map(state => ({
    dataset: state.dataset.id,
    slug: state.dataset.slug,
    family: state.dataset.family,
    title: state.dataset.title,
    minimum_plan: state.dataset.access!.plan,
    credits_per_call: state.dataset.access!.credits,
    status: statusOf(state),
  }))
  return { data, data_count: data.length }
}
