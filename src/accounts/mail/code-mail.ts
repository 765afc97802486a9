export type Locale = 'en' | 'zh-TW'

/** Subject and plain text of a mail. Neither holds anything the recipient typed. */
export interface Message {
  readonly subject: string
  readonly body: string
}

const WORDS: Readonly<Record<Locale, (code: string) => Message>> = {
  en: code => ({
    subject: 'Your sign-in code',
    body: `Your code is ${code}.\n\nIt works once, within ten minutes. If you did not ask for it, ignore this mail: nothing happens without the code.\n`,
  }),
  'zh-TW': code => ({
    subject: '您的登入驗證碼',
    body: `您的驗證碼是 ${code}。\n\n驗證碼限用一次，十分鐘內有效。若非您本人申請，請忽略此信：沒有驗證碼不會有任何變更。\n`,
  }),
}

/** The mail that carries a sign-in code. */
export const codeMail = (code: string, locale: Locale): Message => WORDS[locale](code)
