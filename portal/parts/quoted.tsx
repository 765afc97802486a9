import type { ComponentChildren } from 'preact'
import { LANGUAGE } from './language.ts'

/** English text of another program. Chinese pages mark it as a quotation. */
export const Quoted = ({ text }: { readonly text: string }): ComponentChildren =>
  LANGUAGE === 'zh' ? (
    <>
      「<span lang="en">{text}</span>」
    </>
  ) : (
    text
  )

/** Quotes the English text if there is no Chinese one. */
export const InBoth = ({ en, zh }: { readonly en: string; readonly zh: string | null }): ComponentChildren =>
  LANGUAGE === 'zh' && zh !== null ? zh : <Quoted text={en} />
