import type { ComponentChildren } from 'preact'

const DAYS = /(\d{4}-\d{2}-\d{2})/

/** Shows a text. Its dates are not divided at the end of a line. */
export const Dated = ({ text }: { readonly text: string }): ComponentChildren =>
  text.split(DAYS).map((part, index) => (index % 2 === 1 ? <time>{part}</time> : part))
