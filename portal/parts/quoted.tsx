import type { ComponentChildren } from 'preact'
import { LANGUAGE } from './language.ts'

/** English text from another server or program. Chinese pages mark it as a quotation in English. */
export const Quoted = ({ text }: { readonly text: string }): ComponentChildren =>
  LANGUAGE === 'zh' ? (
    <>
      「<span lang="en">{text}</span>」
    </>
  ) : (
    text
  )

/**
 * A sentence in the language of the page. Without a Chinese text, a quotation of the English one.
 */
export const InBoth = ({ en, zh }: { readonly en: string; readonly zh: string | null }): ComponentChildren =>
  LANGUAGE === 'zh' && zh !== null ? zh : <Quoted text={en} />
