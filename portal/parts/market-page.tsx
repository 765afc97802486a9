import type { ComponentChildren } from 'preact'
import { useCatalog } from '../api/catalog.ts'
import { say, type Words } from './language.ts'
import { MarketNav } from './market-nav.tsx'
import { RefusedRead } from './refused-read.tsx'
import { Skeleton } from './skeleton.tsx'

interface MarketPageProps {
  readonly title: Words
  /** True once the page knows which day to show. */
  readonly isReady: boolean
  readonly children: ComponentChildren
}

/**
 * Shows the title and the links of a market page. Until the page is ready, shows that it is
 * loading.
 */
export function MarketPage({ title, isReady, children }: MarketPageProps) {
  const { refused } = useCatalog().value
  return (
    <>
      <h1>{say(title)}</h1>
      <MarketNav />
      {refused ? (
        <RefusedRead refused={refused} plan={undefined} onRetry={() => location.reload()} />
      ) : isReady ? (
        children
      ) : (
        <div class="market-loading">
          <Skeleton />
        </div>
      )}
    </>
  )
}
