import type { ComponentChildren } from 'preact'
import { LANGUAGE } from './language.ts'

/**
 * English text from another server or program. Chinese pages mark the text as an English quotation.
 */
export const Quoted = ({ text }: { readonly text: string }): ComponentChildren =>
  LANGUAGE === 'zh' ? (
    <>
      「<span lang="en">{text}</span>」
    </>
  ) : (
    text
  )

/** A sentence in the language of the page. If there is no Chinese text, quotes the English text. */
export const InBoth = ({ en, zh }: { readonly en: string; readonly zh: string | null }): ComponentChildren =>
  LANGUAGE === 'zh' && zh !== null ? zh : <Quoted text={en} />
