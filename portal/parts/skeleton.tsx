import { say } from './language.ts'

/**
 * Placeholder for content that is loading. On paper, a sentence says that the content is missing.
 */
export const Skeleton = () => (
  <div class="skeleton" role="status">
    <span class="visually-hidden">{say({ en: 'Loading …', zh: '載入中…' })}</span>
    <p class="on-paper">{say({ en: 'Not loaded when this page was printed.', zh: '列印時尚未載入。' })}</p>
  </div>
)
