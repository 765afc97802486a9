import type { ComponentChildren } from 'preact'
import { LANGUAGE } from './language.ts'

/**
 * Shows an English text of another server or program. Chinese pages mark the text as a quotation.
 */
export const Quoted = ({ text }: { readonly text: string }): ComponentChildren =>
  LANGUAGE === 'zh' ? (
    <>
      「<span lang="en">{text}</span>」
    </>
  ) : (
    text
  )

/**
 * Shows a sentence in the language of the page. If there is no Chinese text, quotes the English
 * text.
 */
export const InBoth = ({ en, zh }: { readonly en: string; readonly zh: string | null }): ComponentChildren =>
  LANGUAGE === 'zh' && zh !== null ? zh : <Quoted text={en} />
