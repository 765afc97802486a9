import { say } from './language.ts'

/** Fills the place of content that is loading. */
export const Skeleton = () => (
  <div class="skeleton" role="status">
    <span class="visually-hidden">{say({ en: 'Loading …', zh: '載入中…' })}</span>
  </div>
)
