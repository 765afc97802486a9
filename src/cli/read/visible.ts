/** Characters that could control the terminal. */
const STEERING = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu
/** Excludes line ends and tabs. */
const STEERING_IN_LINES = /(?!\r?\n|\t)[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu

const escaped = (sign: string): string => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Escapes control characters and line ends. */
export const visible = (text: string): string => text.replace(STEERING, escaped)

/** Escapes control characters, except line ends and tabs. */
export const visibleLines = (text: string): string => text.replace(STEERING_IN_LINES, escaped)

export async function* visiblePieces(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let held = ''
  for await (const piece of pieces) {
    const text = held + decoder.decode(piece, { stream: true })
    // A \r at the end may be the start of \r\n.
    held = text.endsWith('\r') ? '\r' : ''
    yield visibleLines(text.slice(0, text.length - held.length))
  }
  yield visibleLines(held + decoder.decode())
}
