import type { ComponentChildren } from 'preact'
import { Dated } from './dated.tsx'
import { LANGUAGE } from './language.ts'

/** Shows an English text of another program, marked as a quotation on Chinese pages. */
export const Quoted = ({ text }: { readonly text: string }): ComponentChildren =>
  LANGUAGE === 'zh' ? (
    <>
      「
      <span lang="en">
        <Dated text={text} />
      </span>
      」
    </>
  ) : (
    <Dated text={text} />
  )

/** Shows a text in the page's language. Without a Chinese text, quotes the English one. */
export const InBoth = ({ en, zh }: { readonly en: string; readonly zh: string | null }): ComponentChildren =>
  LANGUAGE === 'zh' && zh !== null ? <Dated text={zh} /> : <Quoted text={en} />
