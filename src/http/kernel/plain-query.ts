/**
 * A query string in which every name comes once, with its value behind an equals sign; undefined for any other, whose meaning is the
 * framework's to find.
 */
export function plainQuery(text: string): Readonly<Record<string, string>> | undefined {
  const query: Record<string, string> = Object.create(null)
  if (text === '') return query
  for (const pair of text.split('&')) {
    const equals = pair.indexOf('=')
    if (equals < 1) return undefined
    const [name, value] = [decoded(pair.slice(0, equals)), decoded(pair.slice(equals + 1))]
    if (name === undefined || value === undefined || name in query) return undefined
    query[name] = value
  }
  return query
}

/** Undefined where there is a fragment, or bytes that are no UTF-8. */
function decoded(text: string): string | undefined {
  if (!/[%+#]/.test(text)) return text
  if (text.includes('#')) return undefined
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}
