export const KIND_WORDS = {
  息: 'dividend',
  權: 'rights',
  權息: 'rights_and_dividend',
  除息: 'dividend',
  除權: 'rights',
  除權息: 'rights_and_dividend',
} as const

/** Declares a column of figures. 尚未公告 (not announced yet) becomes null. */
export const announced = (from: string) => ({ from, none: /公告/ })
