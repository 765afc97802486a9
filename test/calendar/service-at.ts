import type { Row } from '../../catalog/index.ts'
import { type ServiceOptions, service } from '../support.ts'

/** A time in Taipei, for example `2026-06-24 18:00`. */
export const taipeiTime = (text: string): Date => new Date(`${text.replace(' ', 'T')}:00+08:00`)

/** A service with a manual clock. */
export async function serviceAt(start: string, options: Omit<ServiceOptions, 'now'> = {}) {
  let time = taipeiTime(start)
  const s = await service({ examples: false, ...options, now: () => time })
  /** The example row of a dataset with some other values. */
  const like = (slug: string, values: Row): Row => ({ ...(s.dataset(slug).example[0] as Row), ...values })
  return {
    ...s,
    like,
    setTime: (text: string): void => {
      time = taipeiTime(text)
    },
    freshness: async (slug: string) => (await s.get(`/v2/datasets/${slug}/freshness`)).json(),
    listed: async (slug: string) =>
      (await s.get('/v2/datasets')).json().data.find((dataset: { readonly slug: string }) => dataset.slug === slug),
  }
}

export type ServiceAt = Awaited<ReturnType<typeof serviceAt>>
