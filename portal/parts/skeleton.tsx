import { say } from './language.ts'

/** Placeholder for content that is loading. */
export const Skeleton = () => (
  <div class="skeleton" role="status">
    <span class="visually-hidden">{say({ en: 'Loading …', zh: '載入中…' })}</span>
  </div>
)
